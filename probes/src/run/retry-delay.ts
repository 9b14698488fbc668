/** Decides whether and when a run that did not succeed is tried again at its location. Pure. */
import type { Retry } from "@svc/contract";
import type { JudgedAttempt } from "./judged-attempt.ts";

/** The state of a run after an attempt. */
export interface RetryInput {
  last: Pick<JudgedAttempt, "status" | "isNetworkError">;
  /** Attempts made so far, at least 1. */
  attemptsMade: number;
  /** Since the start of the run. */
  elapsedMs: number;
}

/**
 * Returns how long to wait before the next attempt.
 * @returns ms; undefined when the run is over
 */
export function retryDelayMs(
  retry: Retry | null,
  { last, attemptsMade, elapsedMs }: RetryInput,
): number | undefined {
  if (!retry || last.status === "success" || attemptsMade > retry.maxRetries) return undefined;
  if (retry.onlyOn === "network_error" && !last.isNetworkError) return undefined;
  const delayMs = retry.baseBackoffSeconds * 1000 * backoffFactor(retry.strategy, attemptsMade);
  return elapsedMs + delayMs <= retry.maxDurationSeconds * 1000 ? delayMs : undefined;
}

function backoffFactor(strategy: Retry["strategy"], attemptsMade: number): number {
  switch (strategy) {
    case "fixed":
      return 1;
    case "linear":
      return attemptsMade;
    case "exponential":
      return 2 ** (attemptsMade - 1);
  }
}
