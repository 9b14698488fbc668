/** Text from a target, made fit to be stored and shown. */

/** Without what PostgreSQL's jsonb refuses: U+0000 and lone surrogates become U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}

/** At most this many characters of a target's text are quoted in a message or an assertion's `actual`. */
const PREVIEW_CHARACTERS_MAX = 500;

/** The beginning of a text, fit to be quoted. */
export function textPreview(text: string): string {
  if (text.length <= PREVIEW_CHARACTERS_MAX) return storableText(text);
  return `${storableText(text.slice(0, PREVIEW_CHARACTERS_MAX))}...`;
}

/** A JSON value, fit to be shown: itself when small, else the beginning of its JSON text. */
export function valuePreview(value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "string") return textPreview(value);
  const json = JSON.stringify(value) ?? "undefined";
  if (json.length > PREVIEW_CHARACTERS_MAX) return textPreview(json);
  return JSON.parse(storableJson(json)) as unknown;
}

/** U+0000 and lone surrogates appear in JSON text only as these escapes (JSON.stringify is well-formed). */
function storableJson(json: string): string {
  return json.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.startsWith("\\u0000") || sequence.startsWith("\\ud") ? "\ufffd" : sequence,
  );
}
