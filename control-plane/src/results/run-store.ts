/** SQL of one run: its order, if it was ordered, and the locations that have a result of it. */
import { type RunReason, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { sentAlong } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { LOCATIONS_OF_CHECK, REVISIONS_OF_CHECK } from "./store.ts";

/** The key of a run. */
interface RunKey {
  checkKey: number;
  slotMs: number;
}

/** Returns the order of a run; undefined when it was none that somebody or something ordered. */
export async function findDispatch(
  db: Knex,
  { checkKey, slotMs }: RunKey,
): Promise<{ locationKeys: number[]; reason: RunReason } | undefined> {
  const [row] = await queryRows<{ locationKeys: number[]; reason: RunReason }>(
    db,
    "SELECT location_keys, reason FROM manual_runs WHERE check_key = :checkKey AND slot_ms = :slotMs",
    { checkKey, slotMs: wholeMs(slotMs) },
  );
  return row;
}

/** Reads the keys of the locations that have a result of the run. */
export async function readLocationsWithResult(db: Knex, { checkKey, slotMs }: RunKey): Promise<number[]> {
  const rows = await queryRows<{ locationKey: number }>(
    db,
    `${sentAlong(db, { check_revisions: REVISIONS_OF_CHECK })}SELECT l.location_key FROM (${LOCATIONS_OF_CHECK}) l JOIN results r
       ON r.check_key = :checkKey AND r.location_key = l.location_key AND r.slot_ms = :slotMs
     ORDER BY l.location_key`,
    { checkKey, slotMs: wholeMs(slotMs) },
  );
  return rows.map(({ locationKey }) => locationKey);
}
