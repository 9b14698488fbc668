/**
 * Finds the keys of results that match a filter. The rollups tell which hours have matching results, so that a rare status is
 * found without reading the results between; those hours are read from the newest on, a few at first, until the page is full.
 */
import type { Knex } from "knex";
import { type FilteredPart, readMatchingHours, readMatchingKeys } from "./filter-store.ts";
import type { LocationSlot } from "./store.ts";

/** Hours that are read by one statement, at most. */
const HOURS_AT_ONCE_MAX = 48;

/** Returns the keys of the matching results behind `after`, newest slot first, then by location; at most `limit`. */
export async function findFilteredKeys(
  db: Knex,
  checkKey: number,
  part: FilteredPart,
): Promise<LocationSlot[]> {
  const toMs = part.after ? Math.min(part.toMs, part.after.slotMs + 1) : part.toMs;
  const hours = await readMatchingHours(db, checkKey, { ...part, toMs });
  const found: LocationSlot[] = [];
  let count = 1;
  for (let at = 0; at < hours.length && found.length < part.limit; ) {
    const hoursMs = hours.slice(at, at + count);
    const limit = part.limit - found.length;
    found.push(...(await readMatchingKeys(db, checkKey, { ...part, toMs, hoursMs, limit })));
    at += count;
    count = Math.min(2 * count, HOURS_AT_ONCE_MAX);
  }
  return found;
}
