/**
 * SQL that finds the keys of results: those of a page of a check's results, and those next to one. The table's only index is its key
 * (check, location, slot) per partition, so each location of the check is read backwards from its newest slot and the locations are
 * merged, by the index alone. The cost of a page grows with the rows that it skips and shows, not with the history.
 */
import { HOUR_MS, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { sentAlong } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { newestToMs } from "../platform/db/slot-bindings.ts";
import type { TimeRange } from "./coverage/time-range.ts";
import { readOldestSlotMs } from "./oldest-slot-store.ts";
import { WINDOW_MS_MAX, windowsAfter, windowsBefore } from "./slot-windows.ts";
import { LOCATIONS_OF_CHECK, type LocationSlot, REVISIONS_OF_CHECK } from "./store.ts";

/** A page of a check's results. */
export interface KeysPage {
  limit: number;
  offset: number;
  /** The result before the page; absent: the page is counted from the newest result. */
  after?: LocationSlot | undefined;
  /** First instant, Unix ms, from which on the page is looked for first. */
  nearMs: number;
  /** Instant, Unix ms, that no result's slot of the page lies behind. */
  toMs: number;
}

/** Periods of a check in which a page is looked for first, for each of its results: some may be missing. */
const NEAR_PERIODS = 2;
/** Longest time in which a page that skips results is looked for first: those that it skips would be read once more. */
const DEEP_MS_MAX = 4 * WINDOW_MS_MAX;

/** Returns between which instants a page of a check's results probably lies, Unix ms. */
export function rangeOfPage(
  { frequencySeconds }: { frequencySeconds: number },
  { limit, offset, after }: Pick<KeysPage, "limit" | "offset" | "after">,
  nowMs: number,
): Pick<KeysPage, "nearMs" | "toMs"> {
  const nearMsMax = offset === 0 ? WINDOW_MS_MAX : DEEP_MS_MAX;
  const lengthMs = NEAR_PERIODS * (offset + limit) * frequencySeconds * 1_000 + HOUR_MS;
  return {
    nearMs: wholeMs((after?.slotMs ?? nowMs) - Math.min(lengthMs, nearMsMax)),
    toMs: after ? wholeMs(after.slotMs) : newestToMs(nowMs),
  };
}

/**
 * Reads the keys of a page of a check's results, newest slot first, then by location. A page that is full of results since
 * `nearMs` is no other among all results; otherwise it is looked for further back in steps, to the oldest day that is kept.
 */
export async function readPageKeys(db: Knex, checkKey: number, page: KeysPage): Promise<LocationSlot[]> {
  const { limit, offset, after, nearMs, toMs } = page;
  const near: KeysWithin = { limit, offset, after, fromMs: nearMs, toMs };
  const atOnce = await readKeysWithin(db, checkKey, near);
  if (atOnce.length === limit) return atOnce;
  const reach = offset + limit;
  const found =
    offset === 0 ? atOnce : await readKeysWithin(db, checkKey, { ...near, offset: 0, limit: reach });
  const windows = windowsBefore(nearMs, { searchedMs: toMs - nearMs, endMs: await readOldestSlotMs(db) });
  for (const window of windows) {
    if (found.length >= reach) break;
    const part = { after, ...window, offset: 0, limit: reach - found.length };
    found.push(...(await readKeysWithin(db, checkKey, part)));
  }
  return found.slice(offset);
}

/** A page of the results whose slots lie between two instants, Unix ms, both included. */
type KeysWithin = Pick<KeysPage, "limit" | "offset" | "after"> & TimeRange;

function readKeysWithin(
  db: Knex,
  checkKey: number,
  { limit, offset, after, fromMs, toMs }: KeysWithin,
): Promise<LocationSlot[]> {
  // Of one slot, the locations with larger keys follow.
  const isBehind = after
    ? `AND slot_ms <= CAST(:afterSlot AS bigint) - CASE WHEN l.location_key > :afterLocation THEN 0 ELSE 1 END`
    : "";
  return queryRows(
    db,
    `${sentAlong(db, { check_revisions: REVISIONS_OF_CHECK })}SELECT n.location_key, n.slot_ms FROM (${LOCATIONS_OF_CHECK}) l
     CROSS JOIN LATERAL (SELECT location_key, slot_ms FROM results
       WHERE check_key = :checkKey AND location_key = l.location_key ${isBehind}
         AND slot_ms BETWEEN CAST(:fromMs AS bigint) AND CAST(:toMs AS bigint)
       ORDER BY slot_ms DESC LIMIT :reach) n
     ORDER BY n.slot_ms DESC, n.location_key LIMIT :limit OFFSET :offset`,
    {
      checkKey,
      limit,
      offset,
      reach: offset + limit,
      ...(after && { afterLocation: after.locationKey, afterSlot: wholeMs(after.slotMs) }),
      fromMs: wholeMs(fromMs),
      toMs: wholeMs(toMs),
    },
  );
}

/** Time around a slot in which the results next to it are looked for first. */
const NEIGHBOR_MS = 2 * HOUR_MS;

/** Reads the slots of the results next to a slot at its location: the one before it, and the one after it; null: none. */
export async function readNeighbors(
  db: Knex,
  key: LocationSlot & { checkKey: number },
  nowMs: number,
): Promise<{ previousMs: number | null; nextMs: number | null }> {
  const { slotMs } = key;
  const near = await readNeighborsWithin(db, key, {
    fromMs: slotMs - NEIGHBOR_MS,
    toMs: slotMs + NEIGHBOR_MS,
  });
  const previousMs = near.previousMs ?? (await readPrevious(db, key));
  const nextMs = near.nextMs ?? (await readNext(db, key, nowMs));
  return { previousMs, nextMs };
}

async function readPrevious(db: Knex, key: LocationSlot & { checkKey: number }): Promise<number | null> {
  const windows = windowsBefore(key.slotMs - NEIGHBOR_MS, {
    searchedMs: NEIGHBOR_MS,
    endMs: await readOldestSlotMs(db),
  });
  for (const window of windows) {
    const { previousMs } = await readNeighborsWithin(db, key, window);
    if (previousMs !== null) return previousMs;
  }
  return null;
}

async function readNext(
  db: Knex,
  key: LocationSlot & { checkKey: number },
  nowMs: number,
): Promise<number | null> {
  const windows = windowsAfter(key.slotMs + NEIGHBOR_MS, {
    searchedMs: NEIGHBOR_MS,
    endMs: newestToMs(nowMs),
  });
  for (const window of windows) {
    const { nextMs } = await readNeighborsWithin(db, key, window);
    if (nextMs !== null) return nextMs;
  }
  return null;
}

async function readNeighborsWithin(
  db: Knex,
  { checkKey, locationKey, slotMs }: LocationSlot & { checkKey: number },
  { fromMs, toMs }: TimeRange,
): Promise<{ previousMs: number | null; nextMs: number | null }> {
  const [row] = await queryRows<{ previousMs: number | null; nextMs: number | null }>(
    db,
    `SELECT (SELECT slot_ms FROM results WHERE check_key = :checkKey AND location_key = :locationKey
         AND slot_ms BETWEEN :fromMs AND :toMs AND slot_ms < :slotMs ORDER BY slot_ms DESC LIMIT 1) AS previous_ms,
       (SELECT slot_ms FROM results WHERE check_key = :checkKey AND location_key = :locationKey
         AND slot_ms BETWEEN :fromMs AND :toMs AND slot_ms > :slotMs ORDER BY slot_ms LIMIT 1) AS next_ms`,
    { checkKey, locationKey, slotMs: wholeMs(slotMs), fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
  return row ?? { previousMs: null, nextMs: null };
}
