/** Problems of a document, with their position. */

/** One problem. `pointer` is a JSON pointer (RFC 6901); "" is the whole document. */
export interface SpecProblem {
  pointer: string;
  message: string;
  /** 1-based; absent when the text could not be read at all. */
  line?: number;
  column?: number;
}

/** A position in the text, 1-based. */
export interface TextPosition {
  line: number;
  column: number;
}

/** Returns the problem as one line: `line 12, column 5, /paths/~1pets/get: the message`. */
export function describeProblem({ pointer, message, line, column }: SpecProblem): string {
  const position = [
    line === undefined ? undefined : `line ${line}, column ${column ?? 1}`,
    pointer === "" ? undefined : pointer,
  ].filter((part) => part !== undefined);
  return position.length > 0 ? `${position.join(", ")}: ${message}` : message;
}
