/** SQL by which a replica learns the fleet: checks and their schedules, locations, runners, orders to run a slot. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";

/** What was true of a check's schedule from one change to the next. */
export interface ScheduleRevision {
  revision: number;
  frequencySeconds: number;
  locationKeys: number[];
  enabled: boolean;
  effectiveFromMs: number;
}

export interface CheckRow {
  key: number;
  id: string;
  teamId: TeamId;
  type: string;
  frequencySeconds: number;
  locationIds: string[];
  enabled: boolean;
  revision: number;
  /** Oldest first; the last one is in force. */
  revisions: ScheduleRevision[];
}

export interface LocationRow {
  key: number;
  id: string;
  name: string;
  /** null: hosted. */
  teamId: TeamId | null;
  status: string;
}

export interface RunnerRow {
  key: number;
  id: string;
  sessionId: string | null;
  replicaId: string;
  locationKeys: number[];
  capabilities: string[];
  capacityPerSecond: number;
  draining: boolean;
  connectedAtMs: number;
  leaseUntilMs: number;
  isAlive: boolean;
  notAcceptingSinceMs: number | null;
}

/** An order to run one slot of a check at once. */
export interface ManualRunRow {
  checkKey: number;
  slotMs: number;
  locationKeys: number[];
  reason: "triggered" | "first_run" | "confirmation";
  avoidRunnerKeys: number[];
}

export interface GivenBackRow {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  triedRunnerKeys: number[];
  runUntilMs: number;
}

/** Transactions below it have ended: whoever polls from here misses none. @returns xid8 as text */
export async function readHorizon(db: Knex): Promise<string> {
  const [row] = await queryRows<{ horizon: string }>(
    db,
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon",
  );
  return row?.horizon ?? "0";
}

const CHECK_COLUMNS = `c.key, c.id, c.team_id AS "teamId", c.type, c.frequency_seconds AS "frequencySeconds",
  c.location_ids AS "locationIds", c.enabled AND NOT c.paused AS enabled, c.revision,
  (SELECT json_agg(json_build_object('revision', r.revision, 'frequencySeconds', r.frequency_seconds,
            'locationKeys', r.location_keys, 'enabled', r.enabled, 'effectiveFromMs', r.effective_from_ms)
            ORDER BY r.revision)
     FROM check_revisions r WHERE r.check_key = c.key) AS revisions`;

/** Checks with a key above `afterKey`, in order of their key. */
export async function readChecksPage(db: Knex, afterKey: number, limit: number): Promise<CheckRow[]> {
  const rows = await queryRows<CheckRow>(
    db,
    `SELECT ${CHECK_COLUMNS} FROM checks c WHERE c.key > ? ORDER BY c.key LIMIT ?`,
    [afterKey, limit],
  );
  return rows.map(withRevisions);
}

/** Checks that changed in a transaction at or after the horizon. */
export async function readChangedChecks(db: Knex, horizon: string): Promise<CheckRow[]> {
  const rows = await queryRows<CheckRow>(
    db,
    `SELECT ${CHECK_COLUMNS} FROM checks c WHERE c.changed_xid >= ?::text::xid8`,
    [horizon],
  );
  return rows.map(withRevisions);
}

function withRevisions(row: CheckRow): CheckRow {
  return { ...row, revisions: row.revisions ?? [] };
}

/** Keys of checks deleted in a transaction at or after the horizon. */
export async function readDeletedChecks(db: Knex, horizon: string): Promise<number[]> {
  const rows = await queryRows<{ checkKey: number }>(
    db,
    `SELECT check_key AS "checkKey" FROM check_deletions WHERE changed_xid >= ?::text::xid8`,
    [horizon],
  );
  return rows.map((row) => row.checkKey);
}

export function readLocations(db: Knex): Promise<LocationRow[]> {
  return queryRows(db, `SELECT key, id, name, team_id AS "teamId", status FROM locations`);
}

/** Runners whose lease holds or ended within the last hour. Judged by the database's clock, the one all replicas share. */
export function readRunners(db: Knex): Promise<RunnerRow[]> {
  return queryRows(
    db,
    `SELECT key, id, session_id AS "sessionId", replica_id AS "replicaId", location_keys AS "locationKeys", capabilities,
       capacity_per_second AS "capacityPerSecond", draining,
       (extract(epoch FROM connected_at) * 1000)::bigint AS "connectedAtMs",
       (extract(epoch FROM lease_until) * 1000)::bigint AS "leaseUntilMs",
       lease_until > clock_timestamp() AS "isAlive",
       (extract(epoch FROM not_accepting_since) * 1000)::bigint AS "notAcceptingSinceMs"
     FROM runners WHERE lease_until > clock_timestamp() - interval '1 hour' ORDER BY key`,
  );
}

/** Orders given in a transaction at or after the horizon, for slots not older than `slotFromMs`. */
export function readManualRuns(db: Knex, horizon: string, slotFromMs: number): Promise<ManualRunRow[]> {
  return queryRows(
    db,
    `SELECT check_key AS "checkKey", slot_ms AS "slotMs", location_keys AS "locationKeys", reason,
       avoid_runner_keys AS "avoidRunnerKeys"
     FROM manual_runs WHERE changed_xid >= ?::text::xid8 AND slot_ms >= ?`,
    [horizon, slotFromMs],
  );
}

/** Of the keys given, those that still exist. */
export async function readLiveRunnerKeyIds(db: Knex, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queryRows<{ id: string }>(db, "SELECT id FROM runner_keys WHERE id = ANY(?)", [ids]);
  return new Set(rows.map((row) => row.id));
}

/** Slots given back in a transaction at or after the horizon. */
export function readGivenBack(db: Knex, horizon: string): Promise<GivenBackRow[]> {
  return queryRows(
    db,
    `SELECT check_key AS "checkKey", location_key AS "locationKey", slot_ms AS "slotMs",
       tried_runner_keys AS "triedRunnerKeys", run_until_ms AS "runUntilMs"
     FROM given_back_slots WHERE changed_xid >= ?::text::xid8`,
    [horizon],
  );
}
