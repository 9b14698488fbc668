/** Characters of a text from which on a result shows only its beginning; see the probes' PREVIEW_CHARACTERS_MAX. */
const SHOWN_MAX = 500;

/** True for a text of a result that is surely whole. */
export function isWholeText(value: unknown): value is string {
  return typeof value === "string" && value.length < SHOWN_MAX;
}
