/** The values that must not be shown in this invocation, whatever field or message they turn up in. */
import { REDACTED } from "@svc/contract";

export interface Secrets {
  /** From now on `value` is replaced, also as it stands in URLs and JSON. */
  add(value: string): void;
  /** Whether `text` holds one of them. */
  isIn(text: string): boolean;
  redact(text: string): string;
  /** A copy in which every text is redacted, keys of maps included; @param keys "all": also those that could be fields of ours. */
  redactDeep(value: unknown, keys?: "foreign" | "all"): unknown;
}

/** A key that is a field of ours, not a name of the user's. */
const FIELD_NAME = /^[a-z][a-zA-Z]{0,40}$/;

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

/** As it is, without surrounding white space, line by line when it has several, and encoded. */
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
