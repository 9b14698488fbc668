/** Text of a document as the database takes it. */

/** Longest text of a kind that is only shown: titles, summaries, names. */
const SHOWN_LENGTH_MAX = 500;

/** The text without NUL and half surrogate pairs, cut to `lengthMax` characters; undefined when it is no text. */
export function storable(value: unknown, lengthMax = SHOWN_LENGTH_MAX): string | undefined {
  if (typeof value !== "string") return undefined;
  return value
    .slice(0, lengthMax)
    .replaceAll("\u0000", "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}
