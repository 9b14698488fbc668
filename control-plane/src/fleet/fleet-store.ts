/** SQL that reads the fleet: checks and their schedules, locations, runners, dispatches, given back slots. */
import {
  type CheckId,
  type LocationId,
  PUSH_LOCATION_ID,
  type RunnerId,
  type RunnerKeyId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { revisionSql } from "../checks/team-secrets/revision-sql.ts";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import { queryRows } from "../platform/db/rows.ts";

/** A schedule that a check has or had. */
interface ScheduleRevision {
  frequencySeconds: number;
  locationKeys: number[];
  /** Unix ms: since when it is in force, the last time if there were several. */
  effectiveFromMs: number;
}

/** A check as the fleet needs it: its schedules, but not its configuration. */
export interface CheckRow {
  key: number;
  id: CheckId;
  teamId: TeamId;
  type: string;
  frequencySeconds: number;
  locationIds: LocationId[];
  /** False while the check is disabled or paused. */
  enabled: boolean;
  revision: number;
  /** True when the configuration refers to secrets of the team, which only some runners can open. */
  usesVault: boolean;
  /** Different ones, oldest first; the last one is in force. */
  revisions: ScheduleRevision[];
}

/** A location with its key, which results carry. */
export interface LocationRow {
  key: number;
  id: LocationId;
  name: string;
  /** null: hosted. */
  teamId: TeamId | null;
  status: string;
}

/** A runner with its session and lease. Instants are Unix ms by the database's clock. */
export interface RunnerRow {
  key: number;
  id: RunnerId;
  /** null: the runner said goodbye. */
  sessionId: string | null;
  replicaId: string;
  locationKeys: number[];
  capabilities: string[];
  capacityPerSecond: number;
  draining: boolean;
  connectedAtMs: number;
  leaseUntilMs: number;
  /** True when the lease held at the time of the read. */
  isAlive: boolean;
  notAcceptingSinceMs: number | null;
}

/** A dispatch of one slot of a check to some of its locations. */
export interface DispatchRow {
  checkKey: number;
  slotMs: number;
  locationKeys: number[];
  reason: "triggered" | "first_run" | "confirmation";
  avoidRunnerKeys: number[];
  /** W3C: trace and span of the request that asked for it; null: it is not traced. */
  traceparent: string | null;
}

/** A slot that a runner gave back. */
export interface GivenBackRow extends CheckLocationSlot {
  /** The runners that gave it back. */
  triedRunnerKeys: number[];
  /** Unix ms: no runner begins it later. */
  runUntilMs: number;
}

/**
 * Reads the snapshot horizon. All transactions below it have ended, so a poll from here on misses none.
 * @returns xid8 as text
 */
export async function readHorizon(db: Knex): Promise<string> {
  const [row] = await queryRows<{ horizon: string }>(
    db,
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon",
  );
  return row?.horizon ?? "0";
}

/** Newest schedule revisions of a check that are looked at, and most different grids that are made of them. */
const REVISIONS_MAX = 1_000;
const GRIDS_MAX = 100;

/**
 * Columns of a check. Its grids (frequency and locations) come from its schedule revisions; of the revisions that share a grid
 * only the newest is read. So a check that is disabled and enabled all day, which makes many revisions, has one grid.
 */
const CHECK_COLUMNS = `c.key, c.id, c.team_id, c.type, c.frequency_seconds,
  c.location_ids, c.enabled AND NOT c.paused AS enabled, ${revisionSql("c")} AS revision,
  c.vault_names <> '{}' AS uses_vault,
  (SELECT json_agg(json_build_object('frequencySeconds', g.frequency_seconds, 'locationKeys', g.location_keys,
            'effectiveFromMs', g.effective_from_ms) ORDER BY g.revision)
     FROM (SELECT n.frequency_seconds, n.location_keys, max(n.revision) AS revision,
             max(n.effective_from_ms) AS effective_from_ms
           FROM (SELECT * FROM check_revisions r WHERE r.check_key = c.key
                 ORDER BY r.revision DESC LIMIT ${REVISIONS_MAX}) n
           GROUP BY n.frequency_seconds, n.location_keys
           ORDER BY max(n.revision) DESC LIMIT ${GRIDS_MAX}) g) AS revisions`;

/** SQL condition: the team of the check `c` was not deleted. */
const TEAM_EXISTS = "NOT EXISTS (SELECT FROM team_deletions d WHERE d.team_id = c.team_id)";

/** Reads checks with a key above `afterKey`, in order of their key. */
export async function readChecksPage(db: Knex, afterKey: number, limit: number): Promise<CheckRow[]> {
  const rows = await queryRows<CheckRow>(
    db,
    `SELECT ${CHECK_COLUMNS} FROM checks c WHERE c.key > ? AND ${TEAM_EXISTS} ORDER BY c.key LIMIT ?`,
    [afterKey, limit],
  );
  return rows.map(withRevisions);
}

/** Reads the checks that changed in a transaction at or after the horizon, or refer to a secret whose value did. */
export async function readChangedChecks(db: Knex, horizon: string): Promise<CheckRow[]> {
  const rows = await queryRows<CheckRow>(
    db,
    `SELECT ${CHECK_COLUMNS} FROM checks c WHERE ${TEAM_EXISTS} AND c.key IN (
       SELECT key FROM checks WHERE changed_xid >= ?::text::xid8
       UNION ALL
       SELECT u.key FROM team_secrets s
       JOIN checks u ON u.team_id = s.team_id AND u.vault_names @> ARRAY[s.name] AND u.vault_names <> '{}'
       WHERE s.changed_xid >= ?::text::xid8)`,
    [horizon, horizon],
  );
  return rows.map(withRevisions);
}

function withRevisions(row: CheckRow): CheckRow {
  return { ...row, revisions: row.revisions ?? [] };
}

/** Returns the keys of checks that were deleted in a transaction at or after the horizon. */
export async function readDeletedChecks(db: Knex, horizon: string): Promise<number[]> {
  const rows = await queryRows<{ checkKey: number }>(
    db,
    `SELECT check_key FROM check_deletions WHERE changed_xid >= ?::text::xid8`,
    [horizon],
  );
  return rows.map((row) => row.checkKey);
}

/** Returns the teams that were deleted in a transaction at or after the horizon. */
export async function readDeletedTeams(db: Knex, horizon: string): Promise<TeamId[]> {
  const rows = await queryRows<{ teamId: TeamId }>(
    db,
    `SELECT team_id FROM team_deletions WHERE changed_xid >= ?::text::xid8`,
    [horizon],
  );
  return rows.map((row) => row.teamId);
}

/**
 * Reads the locations that exist, and the one of pushed checks. A deleted one runs nothing, and its runner keys went with
 * it.
 */
export function readLocations(db: Knex): Promise<LocationRow[]> {
  return queryRows(
    db,
    "SELECT key, id, name, team_id, status FROM locations WHERE deleted_at IS NULL OR id = ?",
    [PUSH_LOCATION_ID],
  );
}

/** Reads the runners whose lease holds or ended within the last hour, by the database's clock, which all replicas share. */
export function readRunners(db: Knex): Promise<RunnerRow[]> {
  return queryRows(
    db,
    `SELECT key, id, session_id, replica_id, location_keys, capabilities,
       capacity_per_second, draining,
       (extract(epoch FROM connected_at) * 1000)::bigint AS connected_at_ms,
       (extract(epoch FROM lease_until) * 1000)::bigint AS lease_until_ms,
       lease_until > clock_timestamp() AS is_alive,
       (extract(epoch FROM not_accepting_since) * 1000)::bigint AS not_accepting_since_ms
     FROM runners WHERE lease_until > clock_timestamp() - interval '1 hour' ORDER BY key`,
  );
}

/** Reads the dispatches made in a transaction at or after the horizon, for slots not older than `slotFromMs`. */
export function readDispatches(db: Knex, horizon: string, slotFromMs: number): Promise<DispatchRow[]> {
  return queryRows(
    db,
    `SELECT check_key, slot_ms, location_keys, reason,
       avoid_runner_keys, traceparent
     FROM manual_runs WHERE changed_xid >= ?::text::xid8 AND slot_ms >= ?`,
    [horizon, slotFromMs],
  );
}

/** Returns those of the runner keys that were not revoked. */
export async function readLiveRunnerKeyIds(db: Knex, ids: readonly RunnerKeyId[]): Promise<Set<RunnerKeyId>> {
  if (ids.length === 0) return new Set();
  const rows = await queryRows<{ id: RunnerKeyId }>(db, "SELECT id FROM runner_keys WHERE id = ANY(?)", [
    ids,
  ]);
  return new Set(rows.map((row) => row.id));
}

/** Reads the slots that were given back in a transaction at or after the horizon. */
export function readGivenBack(db: Knex, horizon: string): Promise<GivenBackRow[]> {
  return queryRows(
    db,
    `SELECT check_key, location_key, slot_ms,
       tried_runner_keys, run_until_ms
     FROM given_back_slots WHERE changed_xid >= ?::text::xid8`,
    [horizon],
  );
}
