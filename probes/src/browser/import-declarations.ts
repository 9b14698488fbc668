/** Finds the import declarations of a script without parsing the rest of it. */
import { lineStartBefore } from "@svc/contract";

/** Span of a declaration in the text: from the beginning of its line to just after its semicolon. */
interface ImportDeclaration {
  start: number;
  end: number;
}

const KEYWORD = "import";
/** Declarations found in one script. The compiler refuses those behind them, since they end up inside a function. */
const DECLARATIONS_MAX = 1_000;
const BLANK = /\s/;
const DELIMITER = /['";]/g;
const QUOTE = /['"]/g;

/**
 * Returns the whole import declarations that begin a line, in their order; they may span several lines. The text is a
 * stranger's, so no part of it is looked at more than a fixed number of times: where the text up to the next quote or
 * semicolon is no declaration, the search goes on behind that.
 */
export function findImportDeclarations(script: string): ImportDeclaration[] {
  const found: ImportDeclaration[] = [];
  for (let at = script.indexOf(KEYWORD); at >= 0 && found.length < DECLARATIONS_MAX; ) {
    const start = lineStartBefore(script, at);
    if (start === undefined || !BLANK.test(script[at + KEYWORD.length] ?? "")) {
      at = script.indexOf(KEYWORD, at + KEYWORD.length);
      continue;
    }
    const opening = nextOf(DELIMITER, script, at);
    if (opening === undefined) break;
    const isDeclaration = script[opening] !== ";" && isClause(script, at + KEYWORD.length, opening);
    const end = isDeclaration ? moduleEnd(script, opening) : undefined;
    if (end !== undefined) found.push({ start, end });
    at = end === undefined ? nextAfterNone(script, at, opening) : script.indexOf(KEYWORD, end);
  }
  return found;
}

/** True when only blanks, or anything that ends with the word `from`, stand between the keyword and the quote. */
function isClause(script: string, from: number, quote: number): boolean {
  const end = blanksStart(script, quote);
  if (end <= from) return true;
  return script.endsWith("from", end) && end - 5 > from && BLANK.test(script[end - 5] as string);
}

/**
 * Returns where to go on when the text before a quote is no declaration: at a keyword right before it, or else behind
 * it.
 */
function nextAfterNone(script: string, at: number, quote: number): number {
  const last = blanksStart(script, quote) - KEYWORD.length;
  return last > at && script.startsWith(KEYWORD, last) ? last : script.indexOf(KEYWORD, quote);
}

/** Returns the end of a declaration whose module's name begins with the quote at `opening`. */
function moduleEnd(script: string, opening: number): number | undefined {
  const closing = nextOf(QUOTE, script, opening + 1);
  if (closing === undefined || closing === opening + 1) return undefined;
  const end = script.length - script.slice(closing + 1).trimStart().length;
  return script[end] === ";" ? end + 1 : closing + 1;
}

function blanksStart(script: string, end: number): number {
  return script.slice(0, end).trimEnd().length;
}

function nextOf(pattern: RegExp, script: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.exec(script)?.index;
}
