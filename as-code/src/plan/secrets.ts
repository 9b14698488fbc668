/** Secrets of one command line: values that are replaced in whatever field or message they turn up. */
import { REDACTED } from "@svc/contract";

/** Collects secrets and replaces them. */
export interface Secrets {
  /** Replaces `value` from now on, also in the forms that it takes in URLs, JSON and Basic headers. */
  add(value: string): void;
  /** True when `text` holds a secret. */
  isIn(text: string): boolean;
  redact(text: string): string;
  /**
   * Returns a copy in which every text is redacted, keys of maps included.
   * @param keys "all" also redacts keys that look like fields of ours; default: "foreign"
   */
  redactDeep(value: unknown, keys?: "foreign" | "all"): unknown;
}

/** Matches keys that are fields of ours, not names of the user's. */
const FIELD_NAME = /^[a-z][a-zA-Z]{0,40}$/;

/** Returns an empty collection. Values that are added later count for everything written from then on. */
export function createSecrets(): Secrets {
  const forms = new Set<string>();
  let pattern: RegExp | undefined;

  const redact = (text: string) => {
    pattern ??= patternOf(forms);
    return pattern ? text.replace(pattern, REDACTED) : text;
  };
  const redactDeep = (value: unknown, keys: "foreign" | "all" = "foreign"): unknown => {
    if (typeof value === "string") return redact(value);
    if (typeof value === "number") return forms.has(String(value)) ? REDACTED : value;
    if (Array.isArray(value)) return value.map((item) => redactDeep(item, keys));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        keys === "foreign" && FIELD_NAME.test(key) ? key : redact(key),
        redactDeep(item, keys),
      ]),
    );
  };
  return {
    add(value) {
      for (const form of formsOf(value)) forms.add(form);
      pattern = undefined;
    },
    isIn: (text) => redact(text) !== text,
    redact,
    redactDeep,
  };
}

/** Returns the forms of a secret: whole, trimmed, line by line when it has several, and each of them encoded. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.trim().length >= 8);
  const plain = [value, value.trim(), ...(lines.length > 1 ? lines : [])].filter((form) => form !== "");
  return plain.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    ...(form.isWellFormed() ? [encodeURIComponent(form), encodeURI(form)] : []),
    ...(form.length >= 4 ? [Buffer.from(form).toString("base64")] : []),
  ]);
}

function patternOf(forms: ReadonlySet<string>): RegExp | undefined {
  if (forms.size === 0) return undefined;
  // Longest first: a secret that begins with another one is replaced whole.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return new RegExp(sorted.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&")).join("|"), "g");
}
