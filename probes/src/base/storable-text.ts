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
  const json = jsonStart(value, PREVIEW_CHARACTERS_MAX + 1);
  if (json.length > PREVIEW_CHARACTERS_MAX) return textPreview(json);
  return JSON.parse(storableJson(json)) as unknown;
}

/** JSON of a parsed value, of which only the beginning is made: a target's document may be large, or nest deeper than the stack. */
function jsonStart(value: unknown, charactersMax: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, charactersMax));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const isArray = Array.isArray(value);
  let json = isArray ? "[" : "{";
  // Every level takes a character at least, so that the limit bounds the recursion as well.
  const room = () => charactersMax - json.length;
  let isFirst = true;
  for (const [key, member] of isArray ? value.entries() : Object.entries(value)) {
    if (room() <= 0) return json;
    if (!isFirst) json += ",";
    isFirst = false;
    if (typeof key === "string") json += `${JSON.stringify(key.slice(0, charactersMax))}:`;
    json += jsonStart(member, room());
  }
  return json + (isArray ? "]" : "}");
}

/** U+0000 and lone surrogates appear in JSON text only as these escapes (JSON.stringify is well-formed). */
function storableJson(json: string): string {
  return json.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.startsWith("\\u0000") || sequence.startsWith("\\ud") ? "\ufffd" : sequence,
  );
}
