/** Puts the values of a team's secrets in the places where a check's configuration refers to them. Pure. */
import { DomainError } from "../base/errors.ts";
import { isObject } from "../base/is-object.ts";
import { replaceVaultReferences } from "../base/vault.ts";
import { checkTypes } from "../checks/registry.ts";
import { secretMarksOf } from "./mask-check-config.ts";

/** Most characters that all values put into one configuration have together: one value may be referred to many times. */
const FILLED_CHARACTERS_MAX = 1024 * 1024;

/** A check's configuration and the secrets that fill its references. */
export interface FillVaultInput {
  /** The check's type. */
  type: string;
  config: Readonly<Record<string, unknown>>;
  /** Values of the secrets by their names. */
  values: ReadonlyMap<string, string>;
}

/**
 * Returns a copy of the configuration with the values in the places of the references. In a script they are written as the
 * inside of a string literal, so that a quotation mark in a value does not end the string that the reference stands in;
 * everywhere else they are taken as they are.
 * @throws DomainError `invalid`, with a message that shows no value: a value is missing, changes the host of a URL, or
 *   all of them together are too long
 */
export function fillVaultReferences({ type, config, values }: FillVaultInput): Record<string, unknown> {
  const definition = checkTypes.find(type);
  let length = 0;
  const valueOfName = (name: string) => {
    const value = values.get(name);
    if (value === undefined) throw invalid(`the value of {{vault.${name}}} is not known`);
    length += value.length;
    if (length > FILLED_CHARACTERS_MAX)
      throw invalid(
        `the values of vault references have more than ${FILLED_CHARACTERS_MAX} characters together`,
      );
    return value;
  };
  const marks = secretMarksOf(type);
  const inScript = (name: string) => insideOfString(valueOfName(name));
  return Object.fromEntries(
    Object.entries(config).map(([field, value]) => {
      const filled = fill(value, field === definition?.scriptField ? inScript : valueOfName);
      if (field === definition?.targetField) assertSameHost(field, value, filled);
      if (marks[field] === "requests") assertSameHosts(field, value, filled);
      return [field, filled];
    }),
  );
}

function fill(value: unknown, valueOfName: (name: string) => string): unknown {
  if (typeof value === "string") return replaceVaultReferences(value, valueOfName);
  if (Array.isArray(value)) return value.map((item) => fill(item, valueOfName));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, valueOfName)]));
}

/** Returns the text as it stands inside a string or template literal of JavaScript, whatever quotes that has. */
function insideOfString(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/['`$]/g, "\\$&")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** People identify a check by its host, and alerts are correlated by the host, so a value may not change the host. */
function assertSameHost(field: string, written: unknown, filled: unknown): void {
  if (typeof written !== "string" || typeof filled !== "string" || written === filled) return;
  if (!URL.canParse(written)) return;
  if (!URL.canParse(filled)) throw invalid(`${field}: with the values of its vault references it is no URL`);
  const [before, after] = [new URL(written), new URL(filled)];
  if (before.protocol !== after.protocol || before.host !== after.host)
    throw invalid(
      `${field}: a value of its vault references changes the URL's host; percent-encode @, /, ? and # in it`,
    );
}

function assertSameHosts(field: string, written: unknown, filled: unknown): void {
  if (!Array.isArray(written) || !Array.isArray(filled)) return;
  for (const [at, request] of written.entries())
    assertSameHost(`${field}[${at}].url`, urlOf(request), urlOf(filled[at]));
}

function urlOf(request: unknown): unknown {
  return isObject(request) ? request.url : undefined;
}

function invalid(message: string): DomainError {
  return new DomainError("invalid", message);
}
