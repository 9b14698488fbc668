/** SQL of the cursors by which baselines are kept up to date. */
import type { BaselineMetric } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { TYPES_WITH_BASELINES } from "../conditions/registry.ts";

/** A metric of a check, which has a cursor of its own. */
export interface MetricOfCheck {
  checkKey: number;
  metric: BaselineMetric;
}

/** A cursor: results of slots before it are folded in. */
interface Cursor extends MetricOfCheck {
  /** Unix ms; null: none are folded in. */
  doneUntilMs: number | null;
}

/** Returns the cursor of every check and metric that an enabled rule uses baselines of. */
export function readCursors(db: Knex): Promise<Cursor[]> {
  return queryRows(
    db,
    `SELECT w.check_key, w.metric, p.done_until_ms
     FROM (SELECT DISTINCT r.check_key, c ->> 'metric' AS metric
           FROM alert_rules r CROSS JOIN jsonb_array_elements(r.conditions) AS c
           WHERE r.enabled AND r.deleted_at IS NULL AND c ->> 'type' = ANY(?)) w
     LEFT JOIN baseline_progress p ON p.check_key = w.check_key AND p.metric = w.metric
     ORDER BY 1, 2`,
    [[...TYPES_WITH_BASELINES]],
  );
}

/** Locks a cursor until the transaction ends; creates it at `fromMs` when there is none. Returns its position. */
export async function lockProgress(trx: Knex, of: MetricOfCheck, fromMs: number): Promise<number> {
  await trx("baselineProgress")
    .insert({ ...of, doneUntilMs: fromMs })
    .onConflict(["checkKey", "metric"])
    .ignore();
  const row: { doneUntilMs: number } = await trx("baselineProgress")
    .where(of)
    .forUpdate()
    .first("doneUntilMs");
  return row.doneUntilMs;
}

/** Stores up to which instant (Unix ms) the baselines of a metric contain results. */
export async function saveProgress(trx: Knex, of: MetricOfCheck, doneUntilMs: number): Promise<void> {
  await trx("baselineProgress").where(of).update({ doneUntilMs });
}
