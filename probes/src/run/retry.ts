/** Whether and when a run that did not succeed is tried again at the same location. Pure. */
import type { Retry } from "@svc/contract";
import type { Attempt } from "../http-attempt/attempt.ts";

/**
 * @param attemptsMade at least 1
 * @param elapsedMs since the start of the run
 * @returns how long to wait before the next attempt, ms; undefined: the run is over
 */
export function retryDelayMs(
  retry: Retry | null,
  last: Pick<Attempt, "status" | "isNetworkError">,
  attemptsMade: number,
  elapsedMs: number,
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
