import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { bucketOf } from "../../results/rollups/buckets.ts";
import { countSlos } from "./count-slos.ts";
import { NO_COUNTS } from "./result-counts.ts";
import type { SloRow } from "./row.ts";
import type { StatusCounts } from "./slo-status.ts";

/**
 * Counts the results or requests that an SLO's status is made of. The SLO's window begins with a whole 5 minute bucket,
 * which is there when the results of its day are gone.
 */
export async function readStatusCounts(db: Knex, slo: SloRow, nowMs: number): Promise<StatusCounts> {
  const starts = [
    bucketOf(nowMs - slo.windowDays * DAY_MS),
    ...[HOUR_MS, 6 * HOUR_MS, DAY_MS].map((rangeMs) => nowMs - rangeMs),
  ];
  const [window = NO_COUNTS, last1h = NO_COUNTS, last6h = NO_COUNTS, last24h = NO_COUNTS] = await countSlos(
    db,
    starts.map((fromMs) => ({ slo, fromMs, toMs: nowMs })),
  );
  return { window, last1h, last6h, last24h };
}
