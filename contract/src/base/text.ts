/** Formatting of texts for people: single lines, length limits, lists and counts. */

/** Returns the text on one line, trimmed: each run of white space and control characters becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** Returns the text on one line, trimmed: each run of line breaks and control characters becomes one space; other white space stays. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** Returns the text, cut to at most `charactersMax` characters (code points); the last character of a cut text is `…`. */
export function truncate(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  // A character has at most two units, so the rest of a long text is not looked at.
  const characters = [...text.slice(0, 2 * charactersMax + 2)];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join("")}…`;
}

/** Returns the text without the slashes at its end. Linear in the text, as the regular expression for it isn't. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end--;
  return text.slice(0, end);
}

/** Number of characters of a stranger's text that a message repeats. */
const EXCERPT_LENGTH_MAX = 60;

/** Returns the beginning of a text, long enough to recognise the text in a message. */
export function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH_MAX ? `${text.slice(0, EXCERPT_LENGTH_MAX).toWellFormed()}…` : text;
}

/** Returns the names as a phrase: `a`, `a and b`, `a, b and c`; beyond `namesMax` of them `a, b, c and 2 more`. */
export function listed(names: readonly string[], namesMax = 3): string {
  if (names.length > namesMax)
    return `${names.slice(0, namesMax).join(", ")} and ${names.length - namesMax} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Returns the count with its noun: `1 check`, `2 checks`. `nouns` is the plural, for nouns that don't just take an s. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
