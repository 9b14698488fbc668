/**
 * Removes the records of deleted teams in short transactions, so that nobody waits for a large team's end. A job that ends
 * half-way goes on where it was, since the team's row is the last to go.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { BlobStore } from "../artifacts/blob-store.ts";
import { sweepArtifacts } from "../artifacts/sweep.ts";
import { type DeleteInput, deleteInSteps } from "./delete-in-steps.ts";

/** A table whose rows of a team are removed; by default those with its `team_id`, 5,000 at a time. */
type TeamTable = Pick<DeleteInput, "table" | "rowsAtOnce"> & Partial<Pick<DeleteInput, "condition">>;

const CHECKS_AT_ONCE = 200;
/** Rows at once where each takes others along. */
const PARENTS_AT_ONCE = 20;

/** Whatever leaves the service goes first: exports, notifications and the channels that further ones would go to. */
const LEAVING: readonly TeamTable[] = [
  { table: "telemetry_settings", condition: "id = ?" },
  { table: "incident_queue" },
  { table: "status_deliveries" },
  { table: "status_announcements" },
  { table: "status_subscribers" },
  { table: "notifications" },
  { table: "notification_channels", rowsAtOnce: PARENTS_AT_ONCE },
];

/** Rows that would go along with their checks, or the team, in one long statement. */
const BEFORE_CHECKS: readonly TeamTable[] = [
  { table: "alert_events" },
  { table: "deleted_check_alert_events" },
  { table: "alert_instances" },
  { table: "incident_members", condition: "incident_key IN (SELECT key FROM incidents WHERE team_id = ?)" },
  {
    table: "incident_escalations",
    condition: "incident_key IN (SELECT key FROM incidents WHERE team_id = ?)",
  },
  { table: "incident_events" },
  { table: "incidents" },
  { table: "derived_events" },
  { table: "telemetry_results" },
  { table: "artifacts" },
  { table: "analyses" },
];

const OF_PATTERNS = "pattern_key IN (SELECT key FROM third_party_patterns WHERE team_id = ?)";

/** Further tables that can be large, and those that don't refer to the team's row. */
const AFTER_CHECKS: readonly TeamTable[] = [
  // Rules of SLOs that are about no check: they can't stay without their SLO.
  { table: "alert_rules" },
  { table: "alert_policies" },
  { table: "slos" },
  { table: "pattern_requests", condition: `bucket_seconds IN (60, 3600) AND ${OF_PATTERNS}` },
  { table: "third_party_patterns" },
  { table: "deleted_checks" },
  { table: "incident_policies" },
  { table: "maintenance_events" },
  { table: "maintenance_windows", rowsAtOnce: PARENTS_AT_ONCE },
  { table: "status_notices" },
  { table: "status_pages" },
  { table: "deployments" },
  { table: "deploy_baselines", rowsAtOnce: PARENTS_AT_ONCE },
  { table: "api_specs", rowsAtOnce: PARENTS_AT_ONCE },
  { table: "changes" },
  { table: "audit_entries" },
  { table: "correlated_dependencies" },
  { table: "tracked_certificates" },
  { table: "team_secrets" },
  { table: "queued_first_runs" },
  { table: "test_runs" },
  { table: "deploy_plans" },
  { table: "report_days" },
  { table: "report_checks" },
  { table: "report_slo_days" },
  { table: "locations", rowsAtOnce: PARENTS_AT_ONCE },
  { table: "team_usage" },
];

/** Tables that don't refer to the team's row; a transaction that was under way may have written into them. */
const WITHOUT_REFERENCE = ["derived_events", "telemetry_results", "queued_first_runs", "team_usage"] as const;

/** The store of the files of artifacts, and the signal that ends the work between two tables. */
export interface DeleteTeamsParts {
  blobs: BlobStore;
  signal?: AbortSignal;
}

/** Removes all records of the teams that were deleted; harmless to repeat. Results follow by `purgeDeletedChecks`. */
export async function deleteTeams(knex: Knex, { blobs, signal }: DeleteTeamsParts): Promise<void> {
  const deletions = await queryRows<{ teamId: TeamId }>(
    knex,
    "SELECT team_id FROM team_deletions ORDER BY deleted_at, team_id",
  );
  for (const { teamId } of deletions) {
    const remove = async (tables: readonly TeamTable[]) => {
      for (const { condition = "team_id = ?", ...table } of tables) {
        if (signal?.aborted) return;
        await deleteInSteps(knex, { ...table, condition, binding: teamId });
      }
    };
    await remove(LEAVING);
    await remove(BEFORE_CHECKS);
    await deleteChecks(knex, teamId);
    await remove(AFTER_CHECKS);
    await releaseContents(knex, teamId);
  }
  if (deletions.length === 0) return;
  await sweepArtifacts(knex, blobs, signal);
  for (const { teamId } of deletions) await deleteRest(knex, teamId);
}

/** Deletes the team's checks in slices, each of which is recorded, so that their results follow. */
async function deleteChecks(knex: Knex, teamId: TeamId): Promise<void> {
  for (;;) {
    const deleted = await queryRows(
      knex,
      `WITH removed AS (SELECT key FROM checks WHERE team_id = ? ORDER BY key LIMIT ${CHECKS_AT_ONCE} FOR UPDATE),
         recorded AS (INSERT INTO check_deletions (check_key) SELECT key FROM removed)
       DELETE FROM checks WHERE key IN (SELECT key FROM removed) RETURNING 1`,
      [teamId],
    );
    if (deleted.length < CHECKS_AT_ONCE) return;
  }
}

/** Gives the team's contents of artifacts up for removal. */
async function releaseContents(knex: Knex, teamId: TeamId): Promise<void> {
  await knex.raw(
    `UPDATE artifact_blobs b SET state = 'garbage' WHERE team_id = ? AND state <> 'garbage'
       AND NOT EXISTS (SELECT FROM artifacts a WHERE a.blob_key = b.key)`,
    [teamId],
  );
}

/**
 * Deletes the team's row, and what a request that was under way has added. While its row is locked nobody adds anything that
 * refers to it. A team that got further checks or artifacts stays for the next round.
 */
async function deleteRest(knex: Knex, teamId: TeamId): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx("teams").where({ id: teamId }).forUpdate().first("id");
    for (const table of ["checks", "artifacts", "artifactBlobs"])
      if (await trx(table).where({ teamId }).first("teamId")) return;
    for (const table of WITHOUT_REFERENCE) await trx.raw("DELETE FROM ?? WHERE team_id = ?", [table, teamId]);
    await trx("teams").where({ id: teamId }).delete();
  });
}
