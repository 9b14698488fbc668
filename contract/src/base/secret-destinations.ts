/**
 * Keeps stored secrets from going to another host: who may change a configuration, but not read its secrets, could otherwise have them
 * sent to a host of theirs. Pure.
 */
import { invalidField } from "./errors.ts";

/** For each secret field the fields that say where its secrets go, by name. */
export type SecretDestinations = Readonly<Partial<Record<string, readonly string[]>>>;

type Fields = Readonly<Record<string, unknown>>;

/** A secret field of which a request keeps a stored part. */
interface KeptSecret {
  /** Field of the request's body that holds the configuration. */
  bodyField: string;
  /** Path of the secret field within the body, for the message. */
  path: string;
  /** The fields that say where the secret goes. */
  destinations: readonly string[];
  given: Fields;
  stored: Fields;
}

/**
 * Passes when a kept secret goes to no host to which it does not go already: scheme, host and port of URLs, and the values of other
 * fields, are those that are stored. Fields that are no longer given add no host.
 * @throws DomainError `invalid` naming the secret field, and the field that has changed
 */
export function assertSameDestination({ bodyField, path, destinations, given, stored }: KeptSecret): void {
  for (const field of destinations) {
    const known = new Set(destinationsIn(stored[field], given[field]));
    if (destinationsIn(given[field], stored[field]).every((one) => known.has(one))) continue;
    throw invalidField(
      bodyField,
      `${path}: write the secret again, since it would go to another host: ${field} has changed`,
    );
  }
}

/** Returns what a value says about hosts. @param other the value on the other side: a switch that is absent is off */
function destinationsIn(value: unknown, other: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => destinationsIn(urlOf(item), undefined));
  if (value === undefined || value === null) return typeof other === "boolean" ? ["false"] : [];
  return [typeof value === "string" ? originOf(value) : String(value)];
}

/** Returns the URL of a request in a list, or the item itself. */
function urlOf(item: unknown): unknown {
  return typeof item === "object" && item !== null && "url" in item ? item.url : item;
}

function originOf(text: string): string {
  if (!text.includes("://")) return text.toLowerCase();
  if (!URL.canParse(text)) return text;
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}`;
}
