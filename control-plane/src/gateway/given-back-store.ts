/**
 * SQL of the slots that runners gave back. The next runner in rendezvous order runs such a slot, whichever replica it is
 * connected to; the row says which runners tried already. A slot that no runner could run before the grace was over
 * becomes a missed slot, with the reason of the last runner that gave it back.
 */
import { type MissingReason, missingReasonOfFault } from "@svc/contract";
import { FaultReason } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import { resultAt } from "../platform/db/engine-sql.ts";
import { defineRecordset } from "../platform/db/recordset.ts";
import { queryRows } from "../platform/db/rows.ts";
import { slotBindings } from "../platform/db/slot-bindings.ts";
import { fleetWakeUpSql } from "../platform/db/wake-ups.ts";

const GIVEN_BACK = defineRecordset({
  checkKey: "bigint",
  locationKey: "integer",
  slotMs: "bigint",
  reason: "text",
  runUntilMs: "bigint",
});

/** A slot that a runner gave back, and until when another may begin it. */
export interface GivenBackInsert extends CheckLocationSlot {
  reason: MissingReason;
  /** Unix ms. */
  runUntilMs: number;
}

/** The tables behind slots that were given back. */
export interface GivenBackStore {
  /** Returns the indexes of the slots that are a manual run of the check at the location. */
  findManualRuns(slots: readonly CheckLocationSlot[]): Promise<Set<number>>;
  /** See {@link insertGivenBack}. */
  insertGivenBack(runnerKey: number, slots: readonly GivenBackInsert[]): Promise<void>;
  /** See {@link insertOverrun}. */
  insertOverrun(slots: readonly CheckLocationSlot[]): Promise<void>;
}

/** Writes that the runner gave the slots back, with the runners that did so before, and wakes every replica. */
export async function insertGivenBack(
  db: Knex,
  runnerKey: number,
  slots: readonly GivenBackInsert[],
): Promise<void> {
  if (slots.length === 0) return;
  await db.raw(
    `WITH noted AS (
       INSERT INTO given_back_slots AS g (check_key, location_key, slot_ms, reason, tried_runner_keys, run_until_ms)
       SELECT DISTINCT ON ("checkKey", "locationKey", "slotMs") "checkKey", "locationKey", "slotMs", reason,
         ARRAY[?::integer], "runUntilMs"
       FROM ${GIVEN_BACK.as("i")} ORDER BY "checkKey", "locationKey", "slotMs"
       ON CONFLICT (check_key, location_key, slot_ms) DO UPDATE SET reason = excluded.reason,
         tried_runner_keys = g.tried_runner_keys || excluded.tried_runner_keys, changed_xid = pg_current_xact_id()
       RETURNING 1
     ) SELECT ${fleetWakeUpSql("given_back")} FROM noted LIMIT 1`,
    [runnerKey, JSON.stringify(slots)],
  );
}

/** Records slots as missed whose check's run before them was still open, unless they have a result. */
export async function insertOverrun(db: Knex, slots: readonly CheckLocationSlot[]): Promise<void> {
  const reason = missingReasonOfFault(FaultReason.PREVIOUS_RUN);
  await insertMissed(
    db,
    slots.map((slot) => ({ ...slot, reason })),
  );
}

/**
 * Removes the given back slots that no runner may begin any more, and records those without a result as missed. Safe on
 * several replicas at once.
 */
export async function closeGivenBackSlots(db: Knex, nowMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    const over = await queryRows<CheckLocationSlot & { reason: string }>(
      trx,
      `DELETE FROM given_back_slots WHERE (check_key, location_key, slot_ms) IN
         (SELECT check_key, location_key, slot_ms FROM given_back_slots WHERE run_until_ms < ? LIMIT 1000 FOR UPDATE SKIP LOCKED)
       RETURNING check_key, location_key, slot_ms, reason`,
      [nowMs],
    );
    await insertMissed(trx, over);
  });
}

async function insertMissed(
  db: Knex,
  slots: readonly (CheckLocationSlot & { reason: string })[],
): Promise<void> {
  if (slots.length === 0) return;
  await db.raw(
    `INSERT INTO missed_slots (check_key, location_key, slot_ms, reason)
     SELECT i.c, i.l, i.s, i.r
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]), CAST(:reasons AS text[])) AS i (c, l, s, r)
     WHERE NOT EXISTS (SELECT FROM ${resultAt(db, ["i.c", "i.l", "i.s"])})
     ON CONFLICT DO NOTHING`,
    {
      checkKeys: slots.map(({ checkKey }) => checkKey),
      locationKeys: slots.map(({ locationKey }) => locationKey),
      reasons: slots.map(({ reason }) => reason),
      ...slotBindings(slots),
    } as never,
  );
}
