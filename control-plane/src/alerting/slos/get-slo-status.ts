import { DAY_MS, HOUR_MS, notFound, type SloStatus, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { bucketOf } from "../../results/rollups/buckets.ts";
import { countResults } from "./count-results.ts";
import { NO_COUNTS } from "./result-counts.ts";
import type { SloRow } from "./row.ts";
import { type StatusCounts, statusOf } from "./slo-status.ts";
import { findSloRow } from "./store.ts";

/** Where the SLO stands now, switched off or not. @throws DomainError not_found */
export async function getStatus({ knex, clock }: Services, teamId: TeamId, id: string): Promise<SloStatus> {
  const row = await findSloRow(knex, teamId, id);
  if (!row) throw notFound("SLO");
  return statusOf(row, await readStatusCounts(knex, row, clock.nowMs()));
}

/** The window begins with a whole 5 minute bucket, which is there when the results of its day are gone. */
export async function readStatusCounts(db: Knex, slo: SloRow, nowMs: number): Promise<StatusCounts> {
  const { checkKey, perfThresholdMs: thresholdMs } = slo;
  const starts = [
    bucketOf(nowMs - slo.windowDays * DAY_MS),
    ...[HOUR_MS, 6 * HOUR_MS, DAY_MS].map((rangeMs) => nowMs - rangeMs),
  ];
  // Nothing measures the traffic of third parties.
  const questions =
    checkKey === null ? [] : starts.map((fromMs) => ({ checkKey, thresholdMs, fromMs, toMs: nowMs }));
  const [window = NO_COUNTS, last1h = NO_COUNTS, last6h = NO_COUNTS, last24h = NO_COUNTS] =
    await countResults(db, questions);
  return { window, last1h, last6h, last24h };
}
