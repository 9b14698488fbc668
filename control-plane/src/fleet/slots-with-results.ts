/** Finds the slots that have a result, so that a runner is asked to run only the missing ones. */
import type { Knex } from "knex";
import { type CheckLocation, type CheckLocationSlot, checkLocationId } from "../platform/check-location.ts";
import { queryRows } from "../platform/db/rows.ts";
import { newestToMs } from "../platform/db/slot-bindings.ts";
import { GRACE_MS } from "./timing.ts";

/** A check location and how long after a slot its run is due there. */
export interface StaggeredCheckLocation extends CheckLocation {
  staggerMs: number;
}

/**
 * Added to the grace: when an agent's clock is behind, or a message is slow, the agent still runs slots that are older
 * than the grace here.
 */
const MARGIN_MS = 5_000;

/**
 * Returns the slots (Unix ms) that have a result and whose runs became due no longer ago than the grace and a margin, by
 * `checkLocationId`.
 * @param nowMs Unix ms
 */
export async function readRecentSlotsWithResults(
  db: Knex,
  checkLocations: readonly StaggeredCheckLocation[],
  nowMs: number,
): Promise<Map<string, number[]>> {
  if (checkLocations.length === 0) return new Map();
  const fromMs = checkLocations.map(({ staggerMs }) => nowMs - GRACE_MS - MARGIN_MS - staggerMs);
  const rows = await queryRows<CheckLocationSlot>(
    db,
    `SELECT r.check_key, r.location_key, r.slot_ms
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) AS p (check_key, location_key, from_ms)
     JOIN results r ON r.check_key = p.check_key AND r.location_key = p.location_key AND r.slot_ms >= p.from_ms
     WHERE r.slot_ms BETWEEN ? AND ?`,
    [
      checkLocations.map(({ checkKey }) => checkKey),
      checkLocations.map(({ locationKey }) => locationKey),
      fromMs,
      Math.min(...fromMs),
      newestToMs(nowMs),
    ],
  );
  const slotsMs = new Map<string, number[]>();
  for (const row of rows) {
    const id = checkLocationId(row);
    const known = slotsMs.get(id);
    if (known) known.push(row.slotMs);
    else slotsMs.set(id, [row.slotMs]);
  }
  return slotsMs;
}

/** Returns the indexes of those of the given slots that have a result. */
export async function findSlotsWithResults(
  db: Knex,
  slots: readonly CheckLocationSlot[],
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
