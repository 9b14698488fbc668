import type { Services } from "../../platform/services.ts";
import { rangeOfPage, readPageKeys } from "../../results/keys-store.ts";

const NEWEST = { limit: 1, offset: 0 };

/**
 * True when the check has results that are newer than the ones an analysis knows.
 * @param knownSlotMs slot of the newest result that it knows; undefined when it knows none
 */
export async function hasNewerResults(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  check: { key: number; frequencySeconds: number },
  knownSlotMs: number | undefined,
): Promise<boolean> {
  const range = rangeOfPage(check, NEWEST, clock.nowMs());
  const [newest] = await readPageKeys(knex, check.key, { ...NEWEST, ...range });
  return newest !== undefined && newest.slotMs > (knownSlotMs ?? Number.NEGATIVE_INFINITY);
}
