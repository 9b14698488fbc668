/**
 * Masked reads: an answer in which `***` stands for each secret, and the way back, in which `***` stands for the stored value.
 * A secret is kept only where it was: a `***` elsewhere names nothing and is refused. Pure.
 */
import { DomainError } from "./errors.ts";
import { REDACTED } from "./redacted.ts";

/** Text that stands for a secret in a masked read, and for the stored value in a request. */
export const MASK = "***";

/** Returns a masked value with the short mask of masked reads in each of its texts. */
export function withShortMask(masked: unknown): unknown {
  if (typeof masked === "string") return masked.replaceAll(REDACTED, MASK);
  if (Array.isArray(masked)) return masked.map(withShortMask);
  if (typeof masked !== "object" || masked === null) return masked;
  return Object.fromEntries(Object.entries(masked).map(([name, item]) => [name, withShortMask(item)]));
}

/** A field of a configuration that may hold secrets. */
export interface SecretField {
  /** Value that a request gives. */
  given: unknown;
  /** Value that is stored. */
  stored: unknown;
  /** The stored value as a masked read answers it. */
  masked: unknown;
  /** Path of the field, for messages: `headers`. */
  path: string;
}

/**
 * Returns the given value with each masked part replaced by the stored one. Entries of objects are matched by name, and so are items of
 * lists that have a `name`; any other list is kept only as a whole.
 * @throws DomainError `invalid` for a `***` where nothing is stored, or where the text around it has changed
 */
export function keepMasked({ given, stored, masked, path }: SecretField): unknown {
  if (isSame(given, masked)) return stored;
  if (typeof given === "string") {
    if (!isMasked(given) || given === stored) return given;
    throw new DomainError(
      "invalid",
      `${path}: ${MASK} stands for the stored value, but none is stored there, or the URL or list around it has changed; give the secret itself`,
    );
  }
  if (Array.isArray(given))
    return given.map((item, at) => {
      const index = Array.isArray(stored) ? indexOfNamed(stored, item) : -1;
      const itemOf = (list: unknown) => (Array.isArray(list) ? (list[index] as unknown) : undefined);
      return keepMasked({
        given: item,
        stored: itemOf(stored),
        masked: itemOf(masked),
        path: `${path}[${at}]`,
      });
    });
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, item]) => {
      const entry = { given: item, stored: entryOf(stored, name), masked: entryOf(masked, name) };
      return [name, keepMasked({ ...entry, path: `${path}.${name}` })];
    }),
  );
}

/** Returns the only item of a list that has the name of the given one; undefined: there is none, or several. */
export function itemOfName(items: unknown, given: unknown): unknown {
  return Array.isArray(items) ? items[indexOfNamed(items, given)] : undefined;
}

/** Returns the index of the only item that has the name of the given one; -1: there is none, or several. */
function indexOfNamed(items: readonly unknown[], given: unknown): number {
  const name = entryOf(given, "name");
  if (typeof name !== "string") return -1;
  const indexes = [...items.keys()].filter((at) => entryOf(items[at], "name") === name);
  return indexes.length === 1 ? (indexes[0] as number) : -1;
}

/** True for the mask itself and for a URL in which it stands for a part. */
function isMasked(text: string): boolean {
  return text === MASK || (text.includes("://") && text.includes(MASK));
}

function entryOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** True when two values are equal as JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
