/** A value of a changed field as text. No I/O. */

/** Longest value that is shown, characters. */
const SHOWN_MAX = 200;

/** Returns a value as people read it, cut when it is long: texts as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text;
}
