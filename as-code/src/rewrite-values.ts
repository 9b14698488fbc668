/** Rewrites values of resources for a config: secrets become placeholders, and all other texts stay what they are. */
import { isSecretParameter, maskUrlsIn } from "@svc/contract";
import type { Placeholders } from "./placeholders.ts";

/** Replaces a value that is secret as a whole: a text, or each value of a map with the user's own keys. */
export function secretsIn(value: unknown, about: readonly string[], placeholders: Placeholders): unknown {
  if (typeof value === "string" && value !== "") return placeholders.secret(value, ...about);
  if (typeof value !== "object" || value === null) return value;
  const [name = ""] = about;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      placeholders.key(key),
      secretsIn(item, [name, key], placeholders),
    ]),
  );
}

/** Rewrites a field whose texts under a credential's name are secret. Objects in its objects have the user's own keys. */
export function namedSecretsIn(value: unknown, about: string, placeholders: Placeholders): unknown {
  if (Array.isArray(value)) return value.map((item) => namedSecretsIn(item, about, placeholders));
  if (typeof value !== "object" || value === null) return deepText(value, placeholders);
  return mapText(value, (name, item) => argumentsOf(item, { about, name }, placeholders));
}

/**
 * Rewrites a value under a name: everything beneath the name of a credential is secret, as is a text with a URL that
 * holds one.
 */
function argumentsOf(
  value: unknown,
  { about, name, isSecret = isSecretParameter(name) }: { about: string; name: string; isSecret?: boolean },
  placeholders: Placeholders,
): unknown {
  if (typeof value === "string")
    return value !== "" && (isSecret || maskUrlsIn(value) !== value)
      ? placeholders.secret(value, about, name)
      : placeholders.text(value);
  if (Array.isArray(value))
    return value.map((item) => argumentsOf(item, { about, name, isSecret }, placeholders));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      placeholders.key(key),
      argumentsOf(item, { about, name: key, isSecret: isSecret || isSecretParameter(key) }, placeholders),
    ]),
  );
}

/** Rewrites a value whose keys are the user's own. */
export function freeText(value: unknown, placeholders: Placeholders): unknown {
  if (Array.isArray(value)) return value.map((item) => freeText(item, placeholders));
  if (typeof value !== "object" || value === null) return deepText(value, placeholders);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [placeholders.key(name), freeText(item, placeholders)]),
  );
}

/** Rewrites every text in a value; keys stay as they are. */
export function deepText(value: unknown, placeholders: Placeholders): unknown {
  if (typeof value === "string") return placeholders.text(value);
  if (Array.isArray(value)) return value.map((item) => deepText(item, placeholders));
  if (typeof value !== "object" || value === null) return value;
  return mapText(value, (_name, item) => deepText(item, placeholders));
}

/** Returns an object with each value replaced by the result of `map`. */
export function mapText(
  value: object,
  map: (name: string, item: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(name, item)]));
}
