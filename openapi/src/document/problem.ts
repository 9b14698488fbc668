/** What is wrong with a document, and where. */

/** One thing that is wrong. `pointer` is a JSON pointer (RFC 6901), "" the whole document. */
export interface SpecProblem {
  pointer: string;
  message: string;
  /** 1-based; absent when the place has none (the text could not be read at all). */
  line?: number;
  column?: number;
}

/** A place in the text, 1-based. */
export interface TextPosition {
  line: number;
  column: number;
}

/** `line 12, column 5, /paths/~1pets/get: the message` */
export function describeProblem({ pointer, message, line, column }: SpecProblem): string {
  const place = [
    line === undefined ? undefined : `line ${line}, column ${column ?? 1}`,
    pointer === "" ? undefined : pointer,
  ].filter((part) => part !== undefined);
  return place.length > 0 ? `${place.join(", ")}: ${message}` : message;
}
