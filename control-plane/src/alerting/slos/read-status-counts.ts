import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { bucketOf } from "../../results/rollups/buckets.ts";
import { countResults } from "./count-results.ts";
import { NO_COUNTS } from "./result-counts.ts";
import type { SloRow } from "./row.ts";
import type { StatusCounts } from "./slo-status.ts";

/**
 * Counts the results that an SLO's status is made of. The SLO's window begins with a whole 5 minute bucket, which is there
 * when the results of its day are gone.
 */
export async function readStatusCounts(db: Knex, slo: SloRow, nowMs: number): Promise<StatusCounts> {
  const { checkKey, perfThresholdMs: thresholdMs } = slo;
  const starts = [
    bucketOf(nowMs - slo.windowDays * DAY_MS),
    ...[HOUR_MS, 6 * HOUR_MS, DAY_MS].map((rangeMs) => nowMs - rangeMs),
  ];
  // An SLO of no check is about the traffic of third parties, which nothing measures.
  const questions =
    checkKey === null ? [] : starts.map((fromMs) => ({ checkKey, thresholdMs, fromMs, toMs: nowMs }));
  const [window = NO_COUNTS, last1h = NO_COUNTS, last6h = NO_COUNTS, last24h = NO_COUNTS] =
    await countResults(db, questions);
  return { window, last1h, last6h, last24h };
}
