import { HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../src/platform/db/rows.ts";
import { hourOf } from "../src/results/rollups/buckets.ts";
import { computeBuckets, computeHour } from "../src/results/rollups/store.ts";
import { countBuckets, countHours, isCounting } from "../src/results/rollups/threshold-store.ts";

/**
 * Computes the rollups of results from `fromMs` to before `toMs`, the end of an hour, by the job's own SQL: the job has a transaction for
 * each hour, of which a month has hundreds.
 */
export async function computePastRollups(
  trx: Knex,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<void> {
  await computeBuckets(trx, fromMs, toMs);
  const hours = await queryRows<{ hourMs: number }>(
    trx,
    `SELECT DISTINCT bucket_ms / ${HOUR_MS} * ${HOUR_MS} AS hour_ms FROM rollups
     WHERE bucket_seconds = 300 AND bucket_ms >= ? AND bucket_ms < ?`,
    [hourOf(fromMs), toMs],
  );
  for (const { hourMs } of hours) await computeHour(trx, hourMs);
  if (!(await isCounting(trx))) return;
  await countBuckets(trx, { fromMs, toMs });
  await countHours(trx, { fromMs: hourOf(fromMs), toMs });
}
