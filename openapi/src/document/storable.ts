/** Makes a document's text fit for the database. */

/** Longest text that is only shown: titles, summaries, names. */
const SHOWN_LENGTH_MAX = 500;

/**
 * Returns the text without NUL and halves of surrogate pairs, cut to `lengthMax` characters; undefined when the value
 * is no text.
 */
export function storable(value: unknown, lengthMax = SHOWN_LENGTH_MAX): string | undefined {
  if (typeof value !== "string") return undefined;
  return value
    .slice(0, lengthMax)
    .replaceAll("\u0000", "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}
