/** Which slots within the grace have a result already, so that a new owner runs exactly those that nobody ran. */
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { GRACE_MS } from "./timing.ts";

/** A check at a location with the stagger of its runs there. */
export interface StaggeredPair {
  checkKey: number;
  locationKey: number;
  staggerMs: number;
}

/** Clocks and transport: how much older than the grace a slot may look and still be considered by an agent. */
const MARGIN_MS = 5_000;

/** Slots with a result whose run was due within the grace (and a margin), by `pairId`. */
export async function readDoneSlots(
  db: Knex,
  pairs: readonly StaggeredPair[],
  nowMs: number,
): Promise<Map<string, number[]>> {
  if (pairs.length === 0) return new Map();
  const fromMs = (pair: StaggeredPair) => nowMs - GRACE_MS - MARGIN_MS - pair.staggerMs;
  const rows = await queryRows<{ checkKey: number; locationKey: number; slotMs: number }>(
    db,
    `SELECT r.check_key AS "checkKey", r.location_key AS "locationKey", r.slot_ms AS "slotMs"
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) AS p (check_key, location_key, from_ms)
     JOIN results r ON r.check_key = p.check_key AND r.location_key = p.location_key AND r.slot_ms >= p.from_ms
     WHERE r.slot_ms >= ?`,
    [
      pairs.map((pair) => pair.checkKey),
      pairs.map((pair) => pair.locationKey),
      pairs.map(fromMs),
      Math.min(...pairs.map(fromMs)),
    ],
  );
  const done = new Map<string, number[]>();
  for (const row of rows) {
    const id = pairId(row);
    done.set(id, [...(done.get(id) ?? []), row.slotMs]);
  }
  return done;
}

/** A pair as a key of maps. */
export function pairId(pair: { checkKey: number; locationKey: number }): string {
  return `${pair.checkKey}:${pair.locationKey}`;
}

/** Of the slots given, the indexes of those that have a result. */
export async function findDone(
  db: Knex,
  slots: readonly { checkKey: number; locationKey: number; slotMs: number }[],
): Promise<Set<number>> {
  if (slots.length === 0) return new Set();
  const slotsMs = slots.map((slot) => slot.slotMs);
  const rows = await queryRows<{ index: number }>(
    db,
    `SELECT u.ordinal::integer - 1 AS index
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) WITH ORDINALITY AS u (c, l, s, ordinal)
     JOIN results r ON r.check_key = u.c AND r.location_key = u.l AND r.slot_ms = u.s
     WHERE r.slot_ms BETWEEN ? AND ?`,
    [
      slots.map((slot) => slot.checkKey),
      slots.map((slot) => slot.locationKey),
      slotsMs,
      Math.min(...slotsMs),
      Math.max(...slotsMs),
    ],
  );
  return new Set(rows.map((row) => row.index));
}
