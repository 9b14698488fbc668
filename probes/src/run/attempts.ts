/** The attempts of one run: again until one succeeds or the retry policy ends. Shared by all check types that retry. */
import { setTimeout as sleepMs } from "node:timers/promises";
import type { Retry } from "@svc/contract";
import { RunnerFailure } from "./failures.ts";
import type { JudgedAttempt } from "./judged-attempt.ts";
import { monotonicUs } from "./phase-clock.ts";
import type { ProbeContext } from "./probe.ts";
import { retryDelayMs } from "./retry-delay.ts";

/** The retry policy of a run and the instant that its time limit counts from. */
export interface AttemptsOptions {
  retry: Retry | null;
  /** Start of the run, by monotonicUs. */
  startedUs: number;
}

/**
 * Runs attempts one after the other.
 * @returns at least one attempt; the last one is the run's result
 * @throws RunnerFailure as `runOnce` does, and with reason `draining` when the agent stops during a pause
 */
export async function runAttempts<A extends JudgedAttempt>(
  { retry, startedUs }: AttemptsOptions,
  context: ProbeContext,
  runOnce: () => Promise<A>,
): Promise<A[]> {
  const attempts: A[] = [];
  for (;;) {
    const last = await runOnce();
    attempts.push(last);
    const elapsedMs = (monotonicUs() - startedUs) / 1000;
    const delayMs = retryDelayMs(retry, { last, attemptsMade: attempts.length, elapsedMs });
    if (delayMs === undefined) return attempts;
    await pause(delayMs, context);
  }
}

async function pause(durationMs: number, context: ProbeContext): Promise<void> {
  try {
    if (context.sleep) await context.sleep(durationMs, context.signal);
    else await sleepMs(durationMs, undefined, { signal: context.signal });
  } catch (error) {
    throw new RunnerFailure("draining", "the runner is stopping", { cause: error });
  }
}
