/** The attempts of one run: again until one succeeds or the retry policy ends. Shared by the check types that retry. */
import { setTimeout as sleepMs } from "node:timers/promises";
import type { ErrorCategory, ResultDetail, ResultStatus } from "@svc/contract";
import { RunnerFailure } from "./failures.ts";
import { monotonicUs } from "./phase-clock.ts";
import type { ProbeContext, ProbeRequest } from "./probe.ts";
import { retryDelayMs } from "./retry.ts";

/** What is told of an attempt beside the result, whatever it measured. */
export interface AttemptOutcome {
  status: ResultStatus;
  errorCategory?: ErrorCategory;
  errorMessage?: string;
  /** Trying again may help, because the target was not reached. */
  isNetworkError: boolean;
  /** Unix ms of the corrected clock. */
  startedAtMs: number;
  responseTimeUs: number;
}

/**
 * @param startedUs start of the run, by monotonicUs
 * @returns at least one; the last one is the run's result
 * @throws RunnerFailure, also when the agent stops during a pause
 */
export async function runAttempts<Attempt extends AttemptOutcome>(
  runOnce: () => Promise<Attempt>,
  { retry }: Pick<ProbeRequest, "retry">,
  context: ProbeContext,
  startedUs: number,
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (;;) {
    const attempt = await runOnce();
    attempts.push(attempt);
    const elapsedMs = (monotonicUs() - startedUs) / 1000;
    const delayMs = retryDelayMs(retry, attempt, attempts.length, elapsedMs);
    if (delayMs === undefined) return attempts;
    await pause(delayMs, context);
  }
}

async function pause(durationMs: number, context: ProbeContext): Promise<void> {
  try {
    if (context.sleep) await context.sleep(durationMs, context.signal);
    else await sleepMs(durationMs, undefined, { signal: context.signal });
  } catch (error) {
    throw new RunnerFailure("aborted", "the runner is stopping", { cause: error });
  }
}

/** An attempt as the detail of a retried run lists it. */
export function attemptDetail(
  attempt: AttemptOutcome,
  httpStatusCode: number | undefined,
): NonNullable<ResultDetail["attempts"]>[number] {
  return {
    status: attempt.status,
    ...(attempt.errorCategory ? { errorCategory: attempt.errorCategory } : {}),
    ...(attempt.errorMessage === undefined ? {} : { errorMessage: attempt.errorMessage }),
    ...(httpStatusCode === undefined ? {} : { httpStatusCode }),
    responseTimeMs: attempt.responseTimeUs / 1000,
    startedAt: new Date(attempt.startedAtMs).toISOString(),
  };
}
