/** An export that can't be read at all: not the tool's, broken, or larger than any is. */
export class ImportError extends Error {
  /** Says what to do instead. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.name = "ImportError";
    this.hint = hint;
  }
}
