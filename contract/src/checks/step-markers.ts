/** Finds the lines of a browser script that mark a step: `// @step: Log in`. */

/** A line that marks a step, line end excluded. */
export interface StepMarker {
  name: string;
  /** Offset of the line's first character. */
  start: number;
  /** Offset behind the line's last character. */
  end: number;
}

const MARK = "@step:";
/** Markers found in one script; results keep a hundred steps. */
const MARKERS_MAX = 1_000;
const RARE_BLANK = /\s/;

/**
 * Returns the markers of a script in their order, the first thousand of them. The text is a stranger's, so every part
 * of a line is looked at a fixed number of times: the work grows with the length of the text and with nothing else.
 */
export function findStepMarkers(script: string): StepMarker[] {
  const markers: StepMarker[] = [];
  for (let at = script.indexOf(MARK); at >= 0 && markers.length < MARKERS_MAX; ) {
    const start = commentStart(script, at);
    if (start === undefined) {
      at = script.indexOf(MARK, at + MARK.length);
      continue;
    }
    const end = lineEndFrom(script, at);
    const name = script.slice(at + MARK.length, end).trim();
    if (name !== "") markers.push({ name, start, end });
    // A further mark on this line is part of the step's name.
    at = script.indexOf(MARK, end);
  }
  return markers;
}

/** Returns where the line begins, or undefined unless only a comment's slashes and blanks stand before the mark. */
function commentStart(script: string, at: number): number | undefined {
  const slashes = skipBlanksBack(script, at);
  if (script[slashes - 1] !== "/" || script[slashes - 2] !== "/") return undefined;
  return lineStartBefore(script, slashes - 2);
}

/** Returns where the line begins whose text before `at` is blank; undefined when other text stands there. */
export function lineStartBefore(script: string, at: number): number | undefined {
  const start = skipBlanksBack(script, at);
  return start === 0 || isLineEnd(script.charCodeAt(start - 1)) ? start : undefined;
}

function skipBlanksBack(script: string, from: number): number {
  let at = from;
  while (at > 0 && isBlank(script.charCodeAt(at - 1))) at--;
  return at;
}

function lineEndFrom(script: string, from: number): number {
  let at = from;
  while (at < script.length && !isLineEnd(script.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  if (code === 0x20 || code === 0x09) return true;
  return !isLineEnd(code) && (code < 0x20 || code > 0x7f) && RARE_BLANK.test(String.fromCharCode(code));
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}
