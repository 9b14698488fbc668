/** Repeats work on the database while it is away, with growing waits. */
import { backoffMs } from "@svc/contract";
import type { Logger } from "pino";
import { isDataError, isMissingPartition } from "../../platform/db/errors.ts";
import { sleepBy, type Timing } from "../../platform/timing.ts";
import type { IngestMetrics } from "./metrics.ts";

const WAITS = { firstMs: 100, largestMs: 3_000 };

/** The conditions under which work is repeated. */
export interface Patience {
  log: Logger;
  metrics: IngestMetrics;
  /** Ends the waiting: the promise then rejects with its reason. */
  signal: AbortSignal;
  timing: Timing;
}

/**
 * Repeats `action` until it succeeds, or the database refuses its values. A missing partition is no such refusal at its
 * first occurrence: the caller makes the partition before the next attempt.
 * @param isFinal true for further errors after which another attempt is useless
 */
export async function untilDatabaseAnswers<T>(
  action: () => Promise<T>,
  { log, metrics, signal, timing }: Patience,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  let hasMissedPartition = false;
  for (let failures = 1; ; failures++) {
    try {
      return await action();
    } catch (error) {
      const isFirstMiss: boolean = isMissingPartition(error) && !hasMissedPartition;
      if (isDataError(error) && !isFirstMiss) throw error;
      if (isFinal(error)) throw error;
      hasMissedPartition ||= isFirstMiss;
      if (failures === 1 && !isFirstMiss)
        log.warn({ err: error }, "results can't be stored now; trying again");
      metrics.retries.inc();
      await sleepBy(timing, backoffMs(failures, WAITS), signal);
    }
  }
}
