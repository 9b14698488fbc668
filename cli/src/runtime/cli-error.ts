import type { ApiError } from "@svc/contract";
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

/** Turns "too many requests" into the error of a limit that is used up; returns any other error as it is. */
export function asLimit(error: ApiError): Error {
  if (error.status !== 429) return error;
  const { retryAfterSeconds } = error;
  const details = { httpStatus: 429, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return new CliError("plan_limit", error.message, { details, cause: error });
}
