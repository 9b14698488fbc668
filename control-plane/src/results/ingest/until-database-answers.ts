/** Waiting for the database: again and again, ever more slowly, as long as it is not the values that are refused. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { isDataError, isMissingPartition } from "../../platform/db/errors.ts";
import type { IngestMetrics } from "./metrics.ts";

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 3_000;

export interface Patience {
  log: Logger;
  metrics: IngestMetrics;
  /** Ends the waiting: the promise then rejects with its reason. */
  signal: AbortSignal;
}

/**
 * Repeats `action` until it succeeds, or fails for its own values. A partition that is missing is made once more before
 * it counts as a fault of the values.
 * @param isFinal further errors that trying the same again does not help against
 */
export async function untilDatabaseAnswers<T>(
  action: () => Promise<T>,
  { log, metrics, signal }: Patience,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  let hasMissedPartition = false;
  for (let waitMs = RETRY_MS_MIN; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
    try {
      return await action();
    } catch (error) {
      const isFirstMiss: boolean = isMissingPartition(error) && !hasMissedPartition;
      if (isDataError(error) && !isFirstMiss) throw error;
      if (isFinal(error)) throw error;
      hasMissedPartition ||= isFirstMiss;
      if (waitMs === RETRY_MS_MIN && !isFirstMiss)
        log.warn({ err: error }, "results can't be stored now; trying again");
      metrics.retries.inc();
      await sleep(waitMs, undefined, { signal });
    }
  }
}
