/**
 * Decides whether a request that failed may be sent again. Reads may, whenever the failure can pass. Writes may only when the
 * service certainly did nothing, because a repeated write could create a resource twice.
 */
import { ApiError, DomainError } from "@svc/contract";
import { CliError } from "./cli-error.ts";

/**
 * True when reading again later may succeed: the service is restarting, busy or out of reach. A wrong key, a wrong address and an
 * answer that is not the API's stay wrong. An interruption counts as passing; loops look at their own signal first.
 */
export function mayReadAgain(error: unknown): boolean {
  const { status } = error as { status?: number };
  if (status !== undefined) return status >= 500 || status === 429;
  if (error instanceof CliError || error instanceof DomainError || error instanceof SyntaxError) return false;
  // fetch reports a failed connection as a TypeError with a cause; one without is an answer of an unexpected shape.
  return !(error instanceof TypeError) || error.cause !== undefined;
}

/**
 * Returns the seconds to wait before a write may be sent again.
 * @returns undefined when the write must not be repeated: only a refusal (429, 503) that names its wait has done nothing
 */
export function writeRetrySeconds(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.status === 429 || error.status === 503 ? error.retryAfterSeconds : undefined;
}
