/** A value of a changed field as text. No I/O. */

/** Longest value that is shown, characters. */
const SHOWN_MAX = 200;

/** Returns a value as people read it, cut when it is long: texts and lists of texts as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  const plain = isList ? value.join(", ") : value;
  if (plain === undefined || plain === null || plain === "") return "nothing";
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text;
}
