/** Counts the groups of a pattern by its text: to compile a stranger's pattern and match it could hold the event loop. Pure. */

/** Returns the number of capturing groups of a JavaScript regular expression. Of a text that is none, a guess. */
export function capturingGroups(pattern: string): number {
  let groups = 0;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "[") isInClass = true;
    else if (character === "]") isInClass = false;
    else if (character === "(" && !isInClass && isCapturing(pattern.slice(at + 1, at + 4))) groups++;
  }
  return groups;
}

/** True for what follows the parenthesis of a plain or of a named group. */
function isCapturing(next: string): boolean {
  return !next.startsWith("?") || /^\?<[^=!]/.test(next);
}
