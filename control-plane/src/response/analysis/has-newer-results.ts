import type { Knex } from "knex";
import { readPageKeys } from "../../results/store.ts";

/**
 * True when the check has results that are newer than the ones an analysis knows.
 * @param knownSlotMs slot of the newest result that it knows; undefined when it knows none
 */
export async function hasNewerResults(
  db: Knex,
  checkKey: number,
  knownSlotMs: number | undefined,
): Promise<boolean> {
  const [newest] = await readPageKeys(db, checkKey, { limit: 1, offset: 0 });
  return newest !== undefined && newest.slotMs > (knownSlotMs ?? Number.NEGATIVE_INFINITY);
}
