/**
 * Removes the results, evidence and rollups of deleted checks, in small steps, so that ingest never waits. They stay for as long as the
 * event feed and the export may have to show the last of them.
 */
import type { Knex } from "knex";
import { DELETED_RESULTS_KEPT } from "../../checks/deleted-check-store.ts";
import { listMergedTables } from "../../platform/db/merged-tables.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { SQLSTATES, sqlStateOf } from "../../platform/db/sqlstates.ts";
import { listRollupTables } from "../rollups/days-store.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { listLeaves } from "./partitions.ts";

/** Time for which replicas may still store results of a deleted check. */
const SETTLE = "1 minute";
/** Longer than results wait for the merge, which leaves out what was purged meanwhile. */
const KEPT_DELETIONS = "3 days";
/** Checks that are purged together. */
const CHECKS_AT_ONCE = 200;
const TABLES = [
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

/** True of a team's export that is enabled and has not sent all that was stored until a check was deleted. */
const LAGS_BEHIND_DELETION = `EXISTS (
  SELECT FROM telemetry_exports e JOIN telemetry_settings s ON s.id = e.team_id AND s.enabled
  CROSS JOIN LATERAL (
    SELECT p.created_at FROM telemetry_results p
    WHERE p.team_id = e.team_id AND (p.xid, p.id) > (e.results_xid, e.results_id) ORDER BY p.xid, p.id LIMIT 1
  ) AS oldest_pending
  WHERE e.team_id = k.team_id AND oldest_pending.created_at < d.deleted_at + interval '${SETTLE}')`;

/** How long what a deletion leaves behind stays, as SQL intervals. */
export interface PurgeSettings {
  /** Minimum age of the deletion; default a minute. */
  settle?: string;
  /** Age of the deletion up to which the feed can show the last results; default {@link DELETED_RESULTS_KEPT}. */
  kept?: string;
  /** Age of the deletion up to which the results wait for an export that lags. */
  keptForExport: string;
  /** Ends the purge between two groups of checks. */
  signal?: AbortSignal;
}

/** Purges the checks whose deletion is old enough; their screenshots and other evidence first, which no event shows. */
export async function purgeDeletedChecks(knex: Knex, settings: PurgeSettings): Promise<void> {
  const { settle = SETTLE, signal } = settings;
  await deleteInSteps(knex, {
    table: "artifacts",
    condition: `check_key IN (SELECT check_key FROM check_deletions
      WHERE purged_at IS NULL AND deleted_at < clock_timestamp() - CAST(? AS interval))`,
    binding: [settle],
  });
  while (!signal?.aborted && (await purgeSome(knex, settings)) === CHECKS_AT_ONCE);
  await knex.raw("DELETE FROM check_deletions WHERE purged_at < now() - ?::interval", [KEPT_DELETIONS]);
}

/** @returns the number of checks that were purged */
async function purgeSome(
  knex: Knex,
  { settle = SETTLE, kept = DELETED_RESULTS_KEPT, keptForExport }: PurgeSettings,
): Promise<number> {
  const deleted = await queryRows<{ checkKey: number }>(
    knex,
    `SELECT d.check_key FROM check_deletions d LEFT JOIN deleted_checks k ON k.key = d.check_key
     WHERE d.purged_at IS NULL AND d.deleted_at < clock_timestamp() - CAST(:settle AS interval)
       AND (k.key IS NULL OR d.deleted_at < clock_timestamp() - CAST(:kept AS interval))
       AND (k.key IS NULL OR d.deleted_at < clock_timestamp() - CAST(:keptForExport AS interval) OR NOT ${LAGS_BEHIND_DELETION})
     ORDER BY d.deleted_at LIMIT ${CHECKS_AT_ONCE}`,
    { settle, kept, keptForExport },
  );
  const checkKeys = deleted.map(({ checkKey }) => checkKey);
  if (checkKeys.length === 0) return 0;
  // Results go before rollups, so that a bucket that is recomputed in between does not restore a rollup.
  const purge = (table: string) =>
    deleteInSteps(knex, {
      table,
      condition: "check_key = ANY(CAST(? AS bigint[]))",
      binding: [checkKeys],
    });
  for (const table of [...(await listLeaves(knex)), ...(await listMergedTables(knex))]) await purge(table);
  for (const table of await listRollupTables(knex)) await unlessDropped(() => purge(table));
  for (const table of TABLES) await purge(table);
  await knex.raw("UPDATE check_deletions SET purged_at = now() WHERE check_key = ANY(CAST(? AS bigint[]))", [
    checkKeys,
  ]);
  return checkKeys.length;
}

/** Does work on a table of rollups, unless that was dropped since it was listed: its rows are past their time, and in no other table. */
async function unlessDropped(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (sqlStateOf(error) !== SQLSTATES.undefinedTable) throw error;
  }
}
