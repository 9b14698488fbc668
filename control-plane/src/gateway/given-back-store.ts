/**
 * SQL of the slots that runners gave back. The next runner in rendezvous order runs such a slot, whichever replica it is
 * connected to; the row says which runners tried already. A slot that no runner could run before the grace was over
 * becomes a missed slot, with the reason of the last runner that gave it back.
 */
import { missingReasonOfFault } from "@svc/contract";
import { FaultReason, type GivenBackSlot } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { staggerOf } from "../fleet/fleet-check.ts";
import type { FleetState } from "../fleet/fleet-state.ts";
import { judgeSlot } from "../fleet/judge-slot.ts";
import { GRACE_MS } from "../fleet/timing.ts";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import { defineRecordset } from "../platform/db/recordset.ts";
import { fleetWakeUpSql } from "../platform/db/wake-ups.ts";
import { findManualRuns } from "../results/ingest/store.ts";

const GIVEN_BACK = defineRecordset({
  checkKey: "bigint",
  locationKey: "integer",
  slotMs: "bigint",
  reason: "text",
  runUntilMs: "bigint",
});

/** Slots that are recorded of one message; further ones will be missing without a reason. */
const SLOTS_MAX = 10_000;

/**
 * Records that a runner gave the slots back, and wakes every replica. Slots that the location was never to run are left
 * out: those of checks that are gone, of another team or not at the location, and instants that are neither a slot nor
 * a dispatch. A slot whose check's run before it was still open is missed at once: on another runner that run would be
 * open, too.
 */
export async function recordGivenBack(
  db: Knex,
  state: FleetState,
  { runnerKey, slots }: { runnerKey: number; slots: readonly GivenBackSlot[] },
): Promise<void> {
  const runnable = await selectRunnable(db, state, slots.slice(0, SLOTS_MAX));
  await recordOverrun(
    db,
    runnable.filter(({ reason }) => reason === FaultReason.PREVIOUS_RUN),
  );
  const rows = runnable.flatMap((slot) => {
    if (slot.reason === FaultReason.PREVIOUS_RUN) return [];
    const check = state.check(slot.checkKey);
    if (!check) return [];
    const runUntilMs = slot.slotMs + staggerOf(check, slot.locationKey) + GRACE_MS;
    const { checkKey, locationKey, slotMs, reason } = slot;
    return [{ checkKey, locationKey, slotMs, reason: missingReasonOfFault(reason), runUntilMs }];
  });
  if (rows.length === 0) return;
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
    [runnerKey, JSON.stringify(rows)],
  );
}

/** Records slots as missed whose check's run before them was still open, unless they have a result. */
async function recordOverrun(db: Knex, slots: readonly CheckLocationSlot[]): Promise<void> {
  if (slots.length === 0) return;
  await db.raw(
    `INSERT INTO missed_slots (check_key, location_key, slot_ms, reason)
     SELECT c, l, s, ? FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) AS i (c, l, s)
     WHERE NOT EXISTS (SELECT FROM results WHERE check_key = c AND location_key = l AND slot_ms = s)
     ON CONFLICT DO NOTHING`,
    [
      missingReasonOfFault(FaultReason.PREVIOUS_RUN),
      slots.map(({ checkKey }) => checkKey),
      slots.map(({ locationKey }) => locationKey),
      slots.map(({ slotMs }) => slotMs),
    ],
  );
}

/** Returns those of the slots that are the location's to run. */
async function selectRunnable(
  db: Knex,
  state: FleetState,
  slots: readonly GivenBackSlot[],
): Promise<(CheckLocationSlot & { reason: FaultReason })[]> {
  const judged = slots.map(({ checkKey, locationKey, slotMs, reason }) => {
    const slot = { checkKey: Number(checkKey), locationKey, slotMs: Number(slotMs) };
    return { ...slot, reason, judgement: judgeSlot(state, slot) };
  });
  const onGrid = judged.filter(({ judgement }) => judgement.kind === "accepted");
  const offGrid = judged.filter(({ judgement }) => judgement.kind === "unsure" && judgement.about === "slot");
  if (offGrid.length === 0) return onGrid;
  const dispatched = await findManualRuns(db, offGrid);
  return [...onGrid, ...offGrid.filter((_, i) => dispatched.has(i))];
}

/**
 * Removes the given back slots that no runner may begin any more, and records those without a result as missed. Safe on
 * several replicas at once.
 */
export async function closeGivenBackSlots(db: Knex, nowMs: number): Promise<void> {
  await db.raw(
    `WITH over AS (
       DELETE FROM given_back_slots g WHERE (check_key, location_key, slot_ms) IN
         (SELECT check_key, location_key, slot_ms FROM given_back_slots WHERE run_until_ms < ?::bigint
          LIMIT 1000 FOR UPDATE SKIP LOCKED)
       RETURNING *
     )
     INSERT INTO missed_slots (check_key, location_key, slot_ms, reason)
     SELECT o.check_key, o.location_key, o.slot_ms, o.reason FROM over o
     WHERE NOT EXISTS (SELECT 1 FROM results r WHERE r.check_key = o.check_key AND r.location_key = o.location_key
                       AND r.slot_ms = o.slot_ms)
     ON CONFLICT DO NOTHING`,
    [nowMs],
  );
}
