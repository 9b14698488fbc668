/**
 * All SQL of checks, the history of their schedules and the orders to run one now. Every read by a caller goes through
 * `ofTeam`, so another team's check does not exist. Whatever the fleet has to learn is marked with the transaction
 * (`changed_xid`) and announced at its commit.
 */
import { isId } from "@svc/contract";
import type { Knex } from "knex";
import objection from "objection";
import { queryRows } from "../platform/db/rows.ts";
import { CheckModel } from "./row.ts";
import type { RecentTrigger } from "./trigger-limit.ts";

function ofTeam(db: Knex, teamId: string) {
  return CheckModel.query(db).where({ teamId });
}

/** Newest first. */
export async function listCheckRows(db: Knex, teamId: string): Promise<CheckModel[]> {
  return ofTeam(db, teamId).orderBy("createdAt", "desc").orderBy("key", "desc");
}

export async function findCheckRow(db: Knex, teamId: string, id: string): Promise<CheckModel | undefined> {
  return isId("check", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** The same, locked until the transaction ends: changes of one check happen one after another. */
export async function lockCheckRow(trx: Knex, teamId: string, id: string): Promise<CheckModel | undefined> {
  return isId("check", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

/** The same, kept from being deleted until the transaction ends; changes go on. */
export async function holdCheckRow(trx: Knex, teamId: string, id: string): Promise<CheckModel | undefined> {
  return isId("check", id) ? ofTeam(trx, teamId).findOne({ id }).forKeyShare() : undefined;
}

/** How many checks the team has. Other creations wait until the transaction ends, so that none counts past the other. */
export async function countChecksExclusively(trx: Knex, teamId: string): Promise<number> {
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

export async function insertCheckRow(db: Knex, row: Partial<CheckModel>): Promise<CheckModel> {
  return CheckModel.query(db).insert(row).returning("*");
}

/** @param isSeenByFleet whether what a runner needs changed: then replicas have to read the check again */
export async function patchCheckRow(
  db: Knex,
  key: number,
  patch: Partial<CheckModel>,
  isSeenByFleet: boolean,
): Promise<CheckModel> {
  const changed = isSeenByFleet ? { changedXid: objection.raw("pg_current_xact_id()") } : {};
  return CheckModel.query(db).patchAndFetchById(key, { ...patch, ...changed });
}

/** Deletes the check with the history of its schedule; its results go with the background job that the mark calls. */
export async function deleteCheckRow(trx: Knex, key: number): Promise<void> {
  await trx("checkDeletions").insert({ checkKey: key });
  await CheckModel.query(trx).deleteById(key);
}

/** A check's schedule from an instant on. */
export interface Schedule {
  revision: number;
  frequencySeconds: number;
  /** In the order of the check's list. */
  locationKeys: readonly number[];
  enabled: boolean;
}

/**
 * Puts a schedule in force and ends the former one at the same instant: at `nowMs`, or where the former began when that is
 * later (the clocks of two replicas may differ).
 */
export async function putScheduleInForce(
  trx: Knex,
  checkKey: number,
  schedule: Schedule,
  nowMs: number,
): Promise<void> {
  const [former] = await queryRows<{ untilMs: number }>(
    trx,
    `UPDATE check_revisions SET effective_until_ms = greatest(effective_from_ms, ?)
     WHERE check_key = ? AND effective_until_ms IS NULL RETURNING effective_until_ms AS "untilMs"`,
    [nowMs, checkKey],
  );
  await trx("checkRevisions").insert({
    checkKey,
    ...schedule,
    effectiveFromMs: former?.untilMs ?? nowMs,
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

/** An order to run one slot of a check at once in these locations. */
export interface ManualRun {
  checkKey: number;
  slotMs: number;
  locationKeys: readonly number[];
  reason: "triggered" | "first_run" | "confirmation";
  /** Others run it, if there are any. */
  avoidRunnerKeys: readonly number[];
}

/** @returns false when the check has a manual run with this slot already */
export async function insertManualRun(db: Knex, run: ManualRun): Promise<boolean> {
  const inserted = await db("manualRuns")
    .insert(run)
    .onConflict(["checkKey", "slotMs"])
    .ignore()
    .returning("slotMs");
  return inserted.length > 0;
}

/** The team's triggers since then. The team's others wait until the transaction ends, so that none counts past the other. */
export async function findTriggersExclusively(
  trx: Knex,
  teamId: string,
  afterMs: number,
): Promise<RecentTrigger[]> {
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  return queryRows(
    trx,
    `SELECT m.check_key AS "checkKey", m.slot_ms AS "slotMs", cardinality(m.location_keys) AS runs
     FROM manual_runs m JOIN checks c ON c.key = m.check_key
     WHERE m.slot_ms > ? AND m.reason = 'triggered' AND c.team_id = ?`,
    [afterMs, teamId],
  );
}
