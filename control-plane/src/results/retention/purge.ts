/** Removes the results, evidence and rollups of deleted checks, in small steps, so that ingest never waits. */
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { listPartitions } from "./partitions.ts";

/** Time for which replicas may still store results of a deleted check. */
const SETTLE = "1 minute";
const KEPT_DELETIONS = "1 day";
const TABLES = [
  "rollups_5m",
  "rollups_1h",
  "performance_rollups",
  "kept_results",
  "tls_observations",
  "tracked_certificates",
  "missed_slots",
  "given_back_slots",
  "baselines",
  "mcp_baselines",
  "artifacts",
];

/**
 * Purges the checks whose deletion is old enough.
 * @param settle minimum age of the deletion, as an SQL interval; default a minute
 */
export async function purgeDeletedChecks(knex: Knex, settle = SETTLE): Promise<void> {
  const deleted = await queryRows<{ checkKey: number }>(
    knex,
    `SELECT check_key FROM check_deletions
     WHERE purged_at IS NULL AND deleted_at < clock_timestamp() - ?::interval ORDER BY deleted_at LIMIT 100`,
    [settle],
  );
  for (const { checkKey } of deleted) {
    // Results go before rollups, so that a bucket that is recomputed in between does not restore a rollup.
    for (const table of [...(await listPartitions(knex)), ...TABLES])
      await deleteInSteps(knex, { table, condition: "check_key = ?", binding: checkKey });
    await knex.raw("UPDATE check_deletions SET purged_at = now() WHERE check_key = ?", [checkKey]);
  }
  await knex.raw("DELETE FROM check_deletions WHERE purged_at < now() - ?::interval", [KEPT_DELETIONS]);
}
