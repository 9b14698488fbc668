/**
 * SQL of reports and of those that did not come. Whoever moves what is expected of a check holds its row and writes the outcome
 * in one transaction, so that a report and a job that finds it overdue never both count for one instant.
 */
import { type CheckId, type CheckType, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import type { Expected } from "../../checks/pushes/expected.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { PushOutcome } from "./outcome.ts";

/** A pushed check with what is expected of it, locked. All instants are Unix ms. */
export interface PushedCheckRow extends Expected {
  checkKey: number;
  id: CheckId;
  type: CheckType;
  config: Record<string, unknown>;
  /** False while the check is disabled or paused. */
  isActive: boolean;
  /** When the run began that is under way; null: none is known. */
  runStartedMs: number | null;
  newestSlotMs: number;
  /** Since when the check's schedule is in force: it was enabled, paused or resumed then. */
  scheduledFromMs: number;
}

const COLUMNS = `c.key AS check_key, c.id, c.type, c.config, c.enabled AND NOT c.paused AS is_active,
  p.counted_from_ms, p.expected_ms, p.overdue_ms, p.run_started_ms, p.newest_slot_ms,
  coalesce((SELECT r.effective_from_ms FROM check_revisions r
            WHERE r.check_key = c.key AND r.effective_until_ms IS NULL), 0) AS scheduled_from_ms`;

/** Returns the check whose token has this hash, locked until the transaction ends; undefined: there is none. */
export async function lockCheckOfToken(trx: Knex, tokenHash: Buffer): Promise<PushedCheckRow | undefined> {
  const [row] = await queryRows<PushedCheckRow>(
    trx,
    `SELECT ${COLUMNS} FROM checks c JOIN push_expectations p ON p.check_key = c.key
     WHERE c.push_token_hash = ?
       AND NOT EXISTS (SELECT FROM team_deletions d WHERE d.team_id = c.team_id) FOR UPDATE OF p`,
    [tokenHash],
  );
  return row;
}

/** Returns checks whose report is overdue at an instant, the longest first, without those that somebody else holds. */
export function lockOverdueChecks(
  trx: Knex,
  { nowMs, rowsMax }: { nowMs: number; rowsMax: number },
): Promise<PushedCheckRow[]> {
  return queryRows(
    trx,
    `SELECT ${COLUMNS} FROM push_expectations p JOIN checks c ON c.key = p.check_key
     WHERE p.overdue_ms <= :nowMs ORDER BY p.overdue_ms LIMIT :rowsMax FOR UPDATE OF p SKIP LOCKED`,
    { nowMs: wholeMs(nowMs), rowsMax },
  );
}

/**
 * Returns checks whose report was to come in a range, by their expected instant and the grace on both sides of it, and that are
 * counted from before its end, locked and by their keys: those after a key.
 */
export function lockChecksExpectedWithin(
  trx: Knex,
  { fromMs, toMs, afterKey, rowsMax }: { fromMs: number; toMs: number; afterKey: number; rowsMax: number },
): Promise<PushedCheckRow[]> {
  return queryRows(
    trx,
    `SELECT ${COLUMNS} FROM push_expectations p JOIN checks c ON c.key = p.check_key
     WHERE p.overdue_ms >= :fromMs AND 2 * p.expected_ms - p.overdue_ms <= :toMs AND p.counted_from_ms < :toMs
       AND p.check_key > :afterKey
     ORDER BY p.check_key LIMIT :rowsMax FOR UPDATE OF p`,
    { fromMs: wholeMs(fromMs), toMs: wholeMs(toMs), afterKey, rowsMax },
  );
}

const JOB = "pushes";

/**
 * Returns when a replica was there for reports last, Unix ms, locked until the transaction ends; `initialMs`, which it stores, when
 * none ever was.
 */
export async function lockAttendedUntil(trx: Knex, initialMs: number): Promise<number> {
  await trx("jobProgress").insert({ job: JOB, doneUntilMs: initialMs }).onConflict("job").ignore();
  const row = await trx("jobProgress").where({ job: JOB }).forUpdate().first("doneUntilMs");
  return row.doneUntilMs;
}

/** Stores that a replica was there for reports at an instant. */
export async function saveAttendedUntil(trx: Knex, nowMs: number): Promise<void> {
  await trx("jobProgress").where({ job: JOB }).update({ doneUntilMs: nowMs });
}

/** Stores what is expected of a check from now on. */
export async function updateExpectation(
  trx: Knex,
  checkKey: number,
  patch: Partial<Expected & Pick<PushedCheckRow, "runStartedMs" | "newestSlotMs">>,
): Promise<void> {
  await trx("pushExpectations").where({ checkKey }).update(patch);
}

/** Stores an outcome that ingest is to get. One for an instant that has one changes nothing. */
export async function insertOutcome(trx: Knex, { checkKey, slotMs, ...outcome }: PushOutcome): Promise<void> {
  await trx("pushOutcomes")
    .insert({ checkKey, slotMs, outcome: JSON.stringify(outcome) })
    .onConflict(["checkKey", "slotMs"])
    .ignore();
}

/** Returns the outcomes that ingest has not got yet, the oldest first. */
export async function listOutcomes(db: Knex, rowsMax: number): Promise<PushOutcome[]> {
  const rows = await queryRows<{
    checkKey: number;
    slotMs: number;
    outcome: Omit<PushOutcome, "checkKey" | "slotMs">;
  }>(
    db,
    "SELECT check_key, slot_ms, outcome FROM push_outcomes ORDER BY created_at, check_key, slot_ms LIMIT ?",
    [rowsMax],
  );
  return rows.map(({ outcome, ...key }) => ({ ...key, ...outcome }));
}

/** Deletes outcomes that ingest has got. */
export async function deleteOutcomes(
  db: Knex,
  keys: readonly Pick<PushOutcome, "checkKey" | "slotMs">[],
): Promise<void> {
  await db.raw(
    "DELETE FROM push_outcomes o USING unnest(?::bigint[], ?::bigint[]) AS i (c, s) WHERE o.check_key = i.c AND o.slot_ms = i.s",
    [keys.map(({ checkKey }) => checkKey), keys.map(({ slotMs }) => slotMs)],
  );
}

/** Returns the end of the last time within a range at which the service was not there for reports; undefined: it always was. */
export async function readOutageEnd(
  db: Knex,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number | undefined> {
  const [row] = await queryRows<{ endMs: number | null }>(
    db,
    "SELECT max(until_ms) AS end_ms FROM service_outages WHERE until_ms >= :fromMs AND from_ms <= :toMs",
    { fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
  return row?.endMs ?? undefined;
}
