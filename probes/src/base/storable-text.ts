/** Makes text and values from a target fit to be stored and shown. */

/** Returns the text with U+0000 and lone surrogates, which PostgreSQL's jsonb refuses, replaced by U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}

/** Longest quotation of a target's text in a message or in an assertion's `actual`. */
export const PREVIEW_CHARACTERS_MAX = 500;

/** Returns the beginning of a text, fit to be quoted. */
export function textPreview(text: string): string {
  return textStart(text, PREVIEW_CHARACTERS_MAX);
}

/**
 * Returns the beginning of a text, fit to be quoted within a sentence. A cut text ends in `...`, before which the beginnings of secrets
 * are looked for: a cut without this mark can only stand at the end of a text.
 * @param lengthMax UTF-16 code units without the mark
 */
export function textStart(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return storableText(text);
  return `${storableText(text.slice(0, lengthMax))}...`;
}

/** Returns a JSON value fit to be shown: the value itself when it is small, else the beginning of its JSON text. */
export function valuePreview(value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "string") return textPreview(value);
  const json = jsonStart(value, PREVIEW_CHARACTERS_MAX + 1);
  if (json.length > PREVIEW_CHARACTERS_MAX) return textPreview(json);
  return JSON.parse(storableJson(json)) as unknown;
}

/**
 * Returns the beginning of a value's JSON text without making the rest: a target's document may be large, or nest
 * deeper than the stack.
 */
function jsonStart(value: unknown, charactersMax: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, charactersMax));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const isArray = Array.isArray(value);
  let json = isArray ? "[" : "{";
  // Every level takes at least one character, so the limit bounds the recursion, too.
  const charactersLeft = () => charactersMax - json.length;
  let isFirst = true;
  // A loop over keys that ends early, since to make pairs of all the members of a large object takes long.
  for (const key in value) {
    if (charactersLeft() <= 0) return json;
    if (!isFirst) json += ",";
    isFirst = false;
    if (!isArray) json += `${JSON.stringify(key.slice(0, charactersMax))}:`;
    json += jsonStart((value as Record<string, unknown>)[key], charactersLeft());
  }
  return json + (isArray ? "]" : "}");
}

/**
 * Replaces U+0000 and lone surrogates, which appear in JSON text only as these escapes (JSON.stringify is
 * well-formed).
 */
function storableJson(json: string): string {
  return json.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.startsWith("\\u0000") || sequence.startsWith("\\ud") ? "\ufffd" : sequence,
  );
}
