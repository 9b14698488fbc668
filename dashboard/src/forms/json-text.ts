/** Any JSON in a line of text: what is no JSON is a text by itself. */

/** Returns the value that a line stands for; undefined for an empty one. */
export function jsonOfText(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the line that stands for a value. A text that would be read as something else stands in quotes. */
export function textOfJson(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string" && jsonOfText(value) === value) return value;
  return JSON.stringify(value);
}
