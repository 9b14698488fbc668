/**
 * Keeps the credentials of a check's configuration out of texts that tell of its runs, such as evidence and analyses.
 * Pure.
 */
import { isSecretParameter } from "../base/credential-name.ts";
import { credentialsOfUrl, credentialsOfUrlsIn, decodedParameter, maskUrlsIn } from "../base/mask-url.ts";
import { REDACTED } from "../base/redacted.ts";
import type { CheckSecretMark } from "../checks/define-check-type.ts";
import { secretEntryRule, secretMarksOf } from "./mask-check-config.ts";

/** Headers whose values are no credentials, though masked in plans: evidence without them would be hard to read. */
const HARMLESS_HEADERS = new Set(["host", "origin", "referer", "traceparent", "x-requested-with"]);

/** The two ways to hide credentials in a text. */
export interface CredentialMasker {
  /** Hides the configuration's credentials, wherever they stand. */
  hideValues(text: string): string;
  /** Hides the configuration's credentials, and those of any URL in the text. */
  hideAll(text: string): string;
}

/** The masker of all configurations without credentials: an agent keeps one for each of its checks. */
const NO_CREDENTIALS: CredentialMasker = { hideValues: (text) => text, hideAll: maskUrlsIn };

/**
 * Returns the masker of a check's configuration.
 * @param lengthMin shortest value that is hidden: shorter ones are words, whose replacement would garble texts and hide
 * nothing
 */
export function credentialMasker(
  type: string,
  config: Readonly<Record<string, unknown>>,
  lengthMin: number,
): CredentialMasker {
  const values = Object.entries(secretMarksOf(type))
    .flatMap(([field, mark]) => secretsOf(config[field], mark))
    .filter((value) => value.length >= lengthMin);
  if (values.length === 0) return NO_CREDENTIALS;
  const longestFirst = [
    ...new Set(values.flatMap((value) => [value, encodeURIComponent(value.toWellFormed())])),
  ].sort((a, b) => b.length - a.length);
  const hideValues = (text: string) =>
    longestFirst.reduce((result, value) => result.replaceAll(value, REDACTED), text);
  return { hideValues, hideAll: (text) => hideValues(maskUrlsIn(text)) };
}

/** Lists the texts under credentials' names, at any depth, and the credentials of URLs in other texts. */
export function namedCredentials(value: unknown, isSecret = false): string[] {
  if (typeof value === "string") return isSecret ? [value] : credentialsOfUrlsIn(value);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    namedCredentials(item, isSecret || (!Array.isArray(value) && isSecretParameter(name))),
  );
}

function secretsOf(value: unknown, mark: CheckSecretMark | undefined): string[] {
  const isSecret = secretEntryRule(mark);
  if (isSecret) return [...secretEntries(value, isSecret), ...basicCredentials(value)];
  if (mark === "named") return namedCredentials(value);
  if (typeof value !== "string") return [];
  if (mark === "url") return credentialsOfUrl(value).flatMap((one) => [one, decodedParameter(one)]);
  if (mark === "content") return secretsOfContent(value);
  return mark === "credential" ? [value] : [];
}

/** Returns a body or script as a whole, as JSON writes it within a text, and the credentials that a JSON body names. */
function secretsOfContent(content: string): string[] {
  return [
    content,
    content.trim(),
    JSON.stringify(content).slice(1, -1),
    ...namedCredentials(parsed(content)),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secretEntries(value: unknown, isSecret: (name: string) => boolean): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === "string" && isSecret(name) && !HARMLESS_HEADERS.has(name.toLowerCase())
      ? [item, ...item.split(" ")]
      : [],
  );
}

/** Returns the credentials of a basic auth block as a request carries them, for targets that repeat their requests. */
function basicCredentials(value: unknown): string[] {
  const { username, password } = (value ?? {}) as { username?: unknown; password?: unknown };
  if (typeof username !== "string" || typeof password !== "string") return [];
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return [btoa(String.fromCharCode(...bytes))];
}
