/**
 * Decides whether a request that failed may be sent again. Reads may, whenever the failure can pass. Writes may only
 * when the service certainly did nothing, because a repeated write could create a resource twice.
 */
import { ApiError } from "@svc/contract";
import { CliError } from "./cli-error.ts";

/**
 * Ways in which a read fails.
 * - `busy`: the service answered 429 or 5xx
 * - `refused`: the service answered with any other error: a wrong key, a deleted resource
 * - `no_answer`: the connection failed or the time was up
 * - `interrupted`: Ctrl+C ended the request
 * - `other_server`: a success that is not JSON, such as a page of a proxy (the context's clients throw a CliError)
 * - `unreadable`: broken JSON, or JSON of an unexpected shape
 */
type ReadFailure = "busy" | "refused" | "no_answer" | "interrupted" | "other_server" | "unreadable";

/** The failures that pass, by what the command reads for. */
const PASSING = {
  /** `svc login` polls: an answer that can't be read may have held the key, so polling on could wait for nothing. */
  sign_in: ["busy", "no_answer"],
  /** Views that go on until a person ends them. They look at their own signal first. */
  view: ["busy", "no_answer", "interrupted", "unreadable"],
  /** `svc deploy --wait`: the deploy is done, and the wait has an end of its own. */
  first_results: ["busy", "no_answer", "other_server", "unreadable"],
} as const satisfies Record<string, readonly ReadFailure[]>;

/** True when reading again later may succeed, for a command that reads for this purpose. */
export function mayReadAgain(error: unknown, purpose: keyof typeof PASSING): boolean {
  const passing: readonly ReadFailure[] = PASSING[purpose];
  return passing.includes(readFailureOf(error));
}

function readFailureOf(error: unknown): ReadFailure {
  const { status } = error as { status?: number };
  if (status !== undefined) return status >= 500 || status === 429 ? "busy" : "refused";
  if (error instanceof CliError) return "other_server";
  if (!(error instanceof Error)) return "unreadable";
  if (error.name === "AbortError") return "interrupted";
  // fetch reports a failed connection as a TypeError with a cause; one without is an answer of an unexpected shape.
  return error.name === "TimeoutError" || error.cause instanceof Error ? "no_answer" : "unreadable";
}

/**
 * Returns the seconds to wait before a write may be sent again.
 * @returns undefined when the write must not be repeated: only a refusal (429, 503) that names its wait has done nothing
 */
export function writeRetrySeconds(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.status === 429 || error.status === 503 ? error.retryAfterSeconds : undefined;
}
