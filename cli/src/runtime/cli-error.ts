/** Work that could not be done, in the user's terms. */
import type { ExitReason } from "./exit-codes.ts";

export class CliError extends Error {
  readonly reason: ExitReason;
  /** The way out, on a line of its own. */
  readonly hint: string | undefined;
  /** Joins `error.details` in --json. */
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

/** Bad usage or input. */
export function generalError(message: string, hint?: string): CliError {
  return new CliError("general_error", message, hint === undefined ? {} : { hint });
}
