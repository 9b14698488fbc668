import type { ExitReason } from "./exit-codes.ts";

/** Error that says in the user's terms why the work could not be done. */
export class CliError extends Error {
  readonly reason: ExitReason;
  /** The way out, printed on lines of its own. */
  readonly hint: string | undefined;
  /** Fields that join `error.details` in --json. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    reason: ExitReason,
    message: string,
    options: { hint?: string; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "CliError";
    this.reason = reason;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** Builds the error of bad usage or input: exit code 1. */
export function generalError(message: string, hint?: string): CliError {
  return new CliError("general_error", message, hint === undefined ? {} : { hint });
}
