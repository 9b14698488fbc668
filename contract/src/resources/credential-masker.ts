/**
 * Keeps the credentials of a check's configuration out of texts that tell of its runs, such as evidence and analyses.
 * Pure.
 */
import { isSecretParameter } from "../base/credential-name.ts";
import { withoutJsonExcerpts } from "../base/json-excerpts.ts";
import { credentialsOfUrl, credentialsOfUrlsIn, decodedParameter, maskUrlsIn } from "../base/mask-url.ts";
import { REDACTED } from "../base/redacted.ts";
import { TextFinder } from "../base/text-finder.ts";
import type { CheckSecretMark } from "../checks/define-check-type.ts";
import { REQUEST_MARKS, secretEntryRule, secretMarksOf } from "./mask-check-config.ts";

/** Headers whose values are no credentials, though masked in plans: evidence without them would be hard to read. */
const HARMLESS_HEADERS = new Set(["host", "origin", "referer", "traceparent", "x-requested-with"]);

/** Most values that are hidden, the longest ones: their number is the configuration's choice, and so would be the memory. */
const VALUES_MAX = 1_000;
/** Shortest beginning of a value that is hidden where a text was cut within it. */
const CUT_LENGTH_MIN = 8;
/** Most words of a header that are hidden by themselves: a scheme, the credential and its parameters. */
const HEADER_WORDS_MAX = 16;

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
    .concat(basicCredentials({ username: config.proxyUsername, password: config.proxyPassword }))
    .filter((value) => value.length >= lengthMin);
  if (values.length === 0) return NO_CREDENTIALS;
  const distinct = [...new Set(values)].sort((a, b) => b.length - a.length).slice(0, VALUES_MAX);
  const finder = new TextFinder([
    ...new Set(distinct.flatMap((value) => [value, encodeURIComponent(value.toWellFormed())])),
  ]);
  const hideValues = (text: string) => finder.replace(withoutJsonExcerpts(text), REDACTED, CUT_LENGTH_MIN);
  // The values first: a URL in a text ends at a quote or bracket, and a credential may go on behind it.
  return { hideValues, hideAll: (text) => maskUrlsIn(hideValues(text)) };
}

/** Lists the texts under credentials' names, at any depth, and the credentials of URLs in other texts. */
export function namedCredentials(document: unknown): string[] {
  const credentials: string[] = [];
  // Not by recursion: a document may nest deeper than the stack.
  const waiting = [{ value: document, isSecret: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, isSecret } = next;
    if (typeof value === "string")
      for (const one of isSecret ? [value] : credentialsOfUrlsIn(value)) credentials.push(one);
    if (typeof value !== "object" || value === null) continue;
    for (const [name, item] of Object.entries(value).reverse())
      waiting.push({
        value: item,
        isSecret: isSecret || (!Array.isArray(value) && isSecretParameter(name)),
      });
  }
  return credentials;
}

function secretsOf(value: unknown, mark: CheckSecretMark | undefined): string[] {
  const isSecret = secretEntryRule(mark);
  if (isSecret) return [...secretEntries(value, isSecret), ...basicCredentials(value)];
  if (mark === "named") return namedCredentials(value);
  if (mark === "requests") return requestCredentials(value);
  if (typeof value !== "string") return [];
  if (mark === "url") return credentialsOfUrl(value).flatMap((one) => [one, decodedParameter(one)]);
  if (mark === "content") return secretsOfContent(value);
  return mark === "credential" ? [value] : [];
}

/** Lists the credentials of a list of requests: of their URLs, headers, auth blocks and bodies. */
export function requestCredentials(requests: unknown): string[] {
  if (!Array.isArray(requests)) return [];
  return requests.flatMap((request: unknown) =>
    Object.entries(request ?? {}).flatMap(([field, value]) => secretsOf(value, REQUEST_MARKS[field])),
  );
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
      ? [item, ...item.split(" ", HEADER_WORDS_MAX)]
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
