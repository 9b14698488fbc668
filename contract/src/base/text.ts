/** Formatting of texts for people: single lines, length limits, lists and counts; decoding of texts in URLs. */

/** Returns the text on one line, trimmed: each run of white space and control characters becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/**
 * Returns the text on one line, trimmed: each run of line breaks and control characters becomes one space; other white
 * space stays.
 */
export function withoutLineBreaks(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** Returns the text, cut to at most `charactersMax` characters (code points); the last character of a cut text is `…`. */
export function truncate(text: string, charactersMax: number): string {
  if (text.length <= charactersMax || unitsOf(text, charactersMax) === text.length) return text;
  return `${firstCharacters(text, charactersMax - 1)}…`;
}

/**
 * Returns the first `charactersMax` characters (code points) of the text, or all of a shorter one. No character is
 * split.
 */
export function firstCharacters(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : text.slice(0, unitsOf(text, charactersMax));
}

/**
 * Returns the number of UTF-16 units that the first characters of the text have. Doesn't look at the rest of a long
 * text.
 */
function unitsOf(text: string, characters: number): number {
  let units = 0;
  for (let seen = 0; seen < characters && units < text.length; seen++)
    units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
  return units;
}

/** Returns the text with its percent encoding decoded; a text with a stray % as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
  return text.length > EXCERPT_LENGTH_MAX
    ? `${firstCharacters(text, EXCERPT_LENGTH_MAX).toWellFormed()}…`
    : text;
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
