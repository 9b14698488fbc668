/** Keeps the credentials of a check's configuration out of the texts that an analysis shows and sends. Pure. */
import {
  type CheckSecretMark,
  type CheckType,
  isSecretParameter,
  maskUrl,
  REDACTED,
  secretEntryRule,
  secretMarksOf,
} from "@svc/contract";

/** Shortest value that is hidden: shorter ones are words, whose replacement would garble texts and hide nothing. */
const LENGTH_MIN = 4;
const URLS = /https?:\/\/[^\s"'<>)]+/gi;

/** Returns a function that hides the configuration's credentials, and those of URLs, in any text. */
export function maskerOf(
  type: CheckType,
  config: Readonly<Record<string, unknown>>,
): (text: string) => string {
  const values = Object.entries(secretMarksOf(type))
    .flatMap(([field, mark]) => secretsOf(config[field], mark))
    .filter((value) => value.length >= LENGTH_MIN);
  const longestFirst = [...new Set(values.flatMap((value) => [value, encodeURIComponent(value)]))].sort(
    (a, b) => b.length - a.length,
  );
  return (text) => {
    const masked = text.replaceAll(URLS, maskUrl);
    return longestFirst.reduce((result, value) => result.replaceAll(value, REDACTED), masked);
  };
}

function secretsOf(value: unknown, mark: CheckSecretMark | undefined): string[] {
  const isSecret = secretEntryRule(mark);
  if (isSecret) return secretEntries(value, isSecret);
  if (mark === "url") return secretsOfUrl(value);
  return mark === "credential" && typeof value === "string" ? [value] : [];
}

function secretEntries(value: unknown, isSecret: (name: string) => boolean): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === "string" && isSecret(name) ? [item, ...item.split(" ")] : [],
  );
}

function secretsOfUrl(text: unknown): string[] {
  if (typeof text !== "string" || !URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  const parameters = [...searchParams].filter(([name]) => isSecretParameter(name)).map(([, value]) => value);
  return [...parameters, username, password]
    .filter((value) => value !== "")
    .flatMap((value) => [value, decoded(value)]);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
