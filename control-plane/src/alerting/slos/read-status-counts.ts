import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { bucketOf } from "../../results/rollups/buckets.ts";
import { countSlos } from "./count-slos.ts";
import { NO_COUNTS } from "./result-counts.ts";
import type { SloRow } from "./row.ts";
import type { StatusCounts } from "./slo-status.ts";

/** Lengths of the times whose burn rates a status shows. */
const RATE_RANGES_MS = [HOUR_MS, 6 * HOUR_MS, DAY_MS];

/** Returns where the window of an SLO begins, Unix ms: with a whole 5 minute bucket, which is there when the results of its day are gone. */
export function windowBeginMs({ windowDays }: Pick<SloRow, "windowDays">, nowMs: number): number {
  return bucketOf(nowMs - windowDays * DAY_MS);
}

/** Counts the results or requests that the status of each SLO is made of, in their order, by a few statements for all. */
export async function readStatusCounts(
  db: Knex,
  slos: readonly SloRow[],
  nowMs: number,
): Promise<StatusCounts[]> {
  const counts = await countSlos(
    db,
    slos.flatMap((slo) =>
      [windowBeginMs(slo, nowMs), ...RATE_RANGES_MS.map((rangeMs) => nowMs - rangeMs)].map((fromMs) => ({
        slo,
        fromMs,
        toMs: nowMs,
      })),
    ),
  );
  return slos.map((_, i) => {
    const first = i * (1 + RATE_RANGES_MS.length);
    const [window = NO_COUNTS, last1h = NO_COUNTS, last6h = NO_COUNTS, last24h = NO_COUNTS] =
      counts.slice(first);
    return { window, last1h, last6h, last24h };
  });
}
