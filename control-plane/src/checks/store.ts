/**
 * All SQL of checks, of the history of their schedules and of dispatches. Every read by a caller goes through
 * `ofTeam`, so another team's check does not exist. Changes that the fleet must learn are marked with the transaction
 * (`changed_xid`) and announced at its commit.
 */
import { type CheckId, isId, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import objection from "objection";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { type BatchInput, sizedBatchSql } from "../platform/db/sized-batch.ts";
import { CheckModel } from "./row.ts";
import type { RecentTrigger } from "./trigger-limit.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return CheckModel.query(db).where({ teamId });
}

/** A part of the list of checks. */
export interface CheckRowsInput extends Omit<BatchInput, "teamId"> {
  /** False: the configurations are left out, as empty ones. */
  withConfig: boolean;
}

/** Reads the team's checks behind `after`, newest first; a few where they are large. */
export async function listCheckRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, withConfig }: CheckRowsInput,
): Promise<CheckModel[]> {
  const { sql, bindings } = sizedBatchSql("checks", { teamId, after, rowsMax });
  return queryRows(
    db,
    `SELECT key, id, team_id, name, type, frequency_seconds, location_ids, enabled, paused, retry, revision, depends_on,
       created_at, updated_at, push_token_sealed,
       ${withConfig ? "config, config_secrets" : "'{}'::jsonb AS config, NULL AS config_secrets"}
     FROM checks WHERE key IN (${sql}) ORDER BY created_at DESC, key DESC`,
    bindings,
  );
}

/** Finds a check of the team. */
export async function findCheckRow(db: Knex, teamId: TeamId, id: CheckId): Promise<CheckModel | undefined> {
  return isId("check", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** Finds those of these checks that are the team's, in no particular order. */
export async function findCheckRows(
  db: Knex,
  teamId: TeamId,
  ids: readonly CheckId[],
): Promise<CheckModel[]> {
  return ids.length === 0 ? [] : ofTeam(db, teamId).whereIn("id", ids);
}

/** Finds the team's checks with one of these names, up to `rowsMax`. */
export function findChecksNamed(
  db: Knex,
  teamId: TeamId,
  { names, rowsMax }: { names: readonly string[]; rowsMax: number },
): Promise<{ id: CheckId; name: string }[]> {
  return queryRows(
    db,
    "SELECT id, name FROM checks WHERE team_id = :teamId AND name = ANY(:names) ORDER BY key LIMIT :rowsMax",
    { teamId, names: [...names], rowsMax },
  );
}

/** Finds a check and locks it until the transaction ends: changes of one check happen one after another. */
export async function lockCheckRow(trx: Knex, teamId: TeamId, id: CheckId): Promise<CheckModel | undefined> {
  return isId("check", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

/** Finds a check and keeps it from being deleted until the transaction ends; it may still be changed. */
export async function holdCheckRow(trx: Knex, teamId: TeamId, id: CheckId): Promise<CheckModel | undefined> {
  return isId("check", id) ? ofTeam(trx, teamId).findOne({ id }).forKeyShare() : undefined;
}

/** Does the work of {@link holdCheckRow} for a check that is known to exist, by its key. */
export async function holdCheckRowByKey(trx: Knex, key: number): Promise<CheckModel | undefined> {
  return CheckModel.query(trx).findById(key).forKeyShare();
}

/** Counts the checks of the team. Other creations wait until the transaction ends, so that each counts the one before it. */
export async function countChecksExclusively(trx: Knex, teamId: TeamId): Promise<number> {
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  return ofTeam(trx, teamId).resultSize();
}

/** A revision number, greater than every one given before. */
export async function nextRevision(db: Knex): Promise<number> {
  const [row] = await queryRows<{ revision: number }>(
    db,
    "SELECT nextval('check_revisions_seq') AS revision",
  );
  if (!row) throw new Error("nextval gave no row");
  return row.revision;
}

/** Stores a new check, and returns it with its defaults. */
export async function insertCheckRow(db: Knex, row: Partial<CheckModel>): Promise<CheckModel> {
  return CheckModel.query(db).insert(row).returning("*");
}

/** Returns the part of a patch that makes replicas read the check again, for when something changed that a runner needs. */
export function markedForFleet(): Partial<CheckModel> {
  return { changedXid: objection.raw("pg_current_xact_id()") } as Partial<CheckModel>;
}

/** Changes columns of a check and returns the row as it is then. */
export async function patchCheckRow(db: Knex, key: number, patch: Partial<CheckModel>): Promise<CheckModel> {
  return CheckModel.query(db).patchAndFetchById(key, patch);
}

/** Deletes the check with the history of its schedule; its results go with the background job that the mark calls. */
export async function deleteCheckRow(trx: Knex, key: number): Promise<void> {
  await trx("checkDeletions").insert({ checkKey: key });
  await CheckModel.query(trx).deleteById(key);
}

/** A check's schedule from an instant on. */
interface Schedule {
  revision: number;
  frequencySeconds: number;
  /** Keys of the locations, in the order of the check's list. */
  locationKeys: readonly number[];
  enabled: boolean;
}

/** The schedule of a check from an instant on. */
export interface ScheduleChange {
  checkKey: number;
  schedule: Schedule;
  /** Unix ms. */
  atMs: number;
}

/**
 * Puts a schedule in force and ends the former one at one instant: at `atMs`, or where the former began when that is
 * later (the clocks of two replicas may differ).
 */
export async function putScheduleInForce(
  trx: Knex,
  { checkKey, schedule, atMs }: ScheduleChange,
): Promise<void> {
  const [former] = await queryRows<{ untilMs: number }>(
    trx,
    `UPDATE check_revisions SET effective_until_ms = greatest(effective_from_ms, ?)
     WHERE check_key = ? AND effective_until_ms IS NULL RETURNING effective_until_ms AS until_ms`,
    [atMs, checkKey],
  );
  await trx("checkRevisions").insert({
    checkKey,
    ...schedule,
    effectiveFromMs: former?.untilMs ?? atMs,
  });
}

/** Location keys of the schedule in force, in the order of the check's list. */
export async function currentLocationKeys(db: Knex, checkKey: number): Promise<number[]> {
  const row: { locationKeys: number[] } | undefined = await db("checkRevisions")
    .where({ checkKey })
    .whereNull("effectiveUntilMs")
    .first("locationKeys");
  return row?.locationKeys ?? [];
}

/** A request to run one slot of a check at once in these locations; a row of `manual_runs`. */
export interface Dispatch {
  checkKey: number;
  slotMs: number;
  locationKeys: readonly number[];
  reason: "triggered" | "first_run" | "confirmation";
  /** Others run it, if there are any. */
  avoidRunnerKeys: readonly number[];
  /** W3C: trace and span of the request that asks for it; null: it is not traced. */
  traceparent: string | null;
}

/** Stores a dispatch. @returns false when the check has one with this slot already */
export async function insertDispatch(db: Knex, run: Dispatch): Promise<boolean> {
  const inserted = await db("manualRuns")
    .insert(run)
    .onConflict(["checkKey", "slotMs"])
    .ignore()
    .returning("slotMs");
  return inserted.length > 0;
}

/**
 * Returns the locations of the check in which a triggered run is open, dispatched after an instant and without a result yet,
 * each with the slot of the newest such run.
 * @param afterMs Unix ms of the oldest slot that counts
 */
export async function locationKeysWithOpenTrigger(
  db: Knex,
  checkKey: number,
  afterMs: number,
): Promise<Map<number, number>> {
  const rows = await queryRows<{ locationKey: number; slotMs: number }>(
    db,
    `SELECT l.location_key, m.slot_ms FROM manual_runs m CROSS JOIN unnest(m.location_keys) AS l (location_key)
     WHERE m.check_key = :checkKey AND m.reason = 'triggered' AND m.slot_ms >= :afterMs
       AND NOT EXISTS (SELECT FROM ${perRow(db, {
         as: "r",
         columns: "one integer",
         select: `SELECT 1 AS one FROM results r WHERE r.check_key = {m.check_key} AND r.location_key = {l.location_key}
           AND r.slot_ms = {m.slot_ms} AND r.slot_ms >= {:afterMs}`,
       })})
     ORDER BY m.slot_ms`,
    { checkKey, afterMs: wholeMs(afterMs) },
  );
  return new Map(rows.map(({ locationKey, slotMs }) => [locationKey, slotMs]));
}

/** The team's triggers since then. The team's others wait until the transaction ends, so that none counts past the other. */
export async function findTriggersExclusively(
  trx: Knex,
  teamId: TeamId,
  afterMs: number,
): Promise<RecentTrigger[]> {
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  return queryRows(
    trx,
    `SELECT m.check_key, m.slot_ms, cardinality(m.location_keys) AS runs
     FROM manual_runs m JOIN checks c ON c.key = m.check_key
     WHERE m.slot_ms > ? AND m.reason = 'triggered' AND c.team_id = ?`,
    [afterMs, teamId],
  );
}
