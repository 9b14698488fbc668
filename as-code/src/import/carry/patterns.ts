/** Patterns and paths of other tools, in the notation that assertions have. Pure. */

const PATTERN_CHARACTERS_MAX = 16_384;

/** Matches notation of Go's expressions (RE2) that JavaScript has not, or reads as something else. */
const GO_ONLY = /\\[AzQEC]|\[\[:|\(\?[imsU-]+[:)]|\\[pP](?:[A-Z]|\{)/;

/** Returns the JavaScript expression that means what the Go expression does, or the reason why there is none. */
export function patternOfGo(pattern: string): { pattern: string } | { problem: string } {
  const [notation] = GO_ONLY.exec(pattern) ?? [];
  if (notation !== undefined)
    return { problem: `${notation} in an expression has no counterpart in JavaScript` };
  return patternOf(pattern.replaceAll("(?P<", "(?<"));
}

/** Returns the expression, or the reason why it is none that JavaScript can run. Compiles it and runs nothing. */
export function patternOf(pattern: string): { pattern: string } | { problem: string } {
  if (pattern.length > PATTERN_CHARACTERS_MAX)
    return { problem: `an expression has at most ${PATTERN_CHARACTERS_MAX} characters` };
  try {
    new RegExp(pattern);
    return { pattern };
  } catch {
    return { problem: "the expression is none that JavaScript can run" };
  }
}

/** Returns the text that an expression looks for, when the expression is plain text; undefined for any other. */
export function plainTextOf(pattern: string): string | undefined {
  let text = "";
  for (let at = 0; at < pattern.length; at++) {
    const isEscape = pattern[at] === "\\";
    if (isEscape) at++;
    const character = pattern[at] ?? "";
    // An escaped letter or digit has a meaning of its own, and so has a sign that is not escaped.
    if (isEscape ? /^[a-zA-Z0-9]?$/.test(character) : /[\^$.*+?()[\]{}|]/.test(character)) return undefined;
    text += character;
  }
  return text;
}

/** A path by names, indexes and quoted names; what follows a name can begin in one way only, so that matching is linear. */
const SIMPLE_PATH = /^(?:\$|[A-Za-z_][\w-]*)?(?:\.[A-Za-z_][\w-]*|\[\d{1,9}\]|\['[^'\\]*'\]|\["[^"\\]*"\])*$/;

/** Returns a JSON path that our assertions can follow: names, indexes and quoted names. Others give undefined. */
export function simplePath(path: string): string | undefined {
  const trimmed = path.trim();
  if (trimmed === "" || trimmed.length > 4_096 || !SIMPLE_PATH.test(trimmed)) return undefined;
  return trimmed.startsWith(".") ? trimmed.slice(1) : trimmed;
}

/** Returns the JSON value that a text most likely stands for: a number, a boolean, or the text itself. */
export function jsonValueOf(text: string): string | number | boolean {
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}
