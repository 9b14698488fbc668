/** Orders to run a check now, outside its schedule. The instant of the order is the run's slot. */
import { isSlot, phaseMs } from "@svc/contract";
import type { Knex } from "knex";
import { notifyChange } from "../scheduling/change-listener.ts";
import type { CheckModel } from "./row.ts";
import { insertManualRun, type ManualRun } from "./store.ts";

/**
 * Orders a run in each of the locations.
 * @returns its slot: `nowMs`, or the next ms that is neither on the check's grid nor another order's, since the slot is
 * what tells one result from another
 */
export async function orderRun(
  trx: Knex,
  check: Pick<CheckModel, "key" | "id" | "frequencySeconds">,
  locationKeys: readonly number[],
  nowMs: number,
  reason: ManualRun["reason"],
): Promise<number> {
  const periodMs = check.frequencySeconds * 1000;
  const phase = phaseMs(check.id, check.frequencySeconds);
  for (let slotMs = nowMs; ; slotMs++) {
    if (isSlot(slotMs, periodMs, phase)) continue;
    if (!(await insertManualRun(trx, { checkKey: check.key, slotMs, locationKeys, reason }))) continue;
    await notifyChange(trx, "manual_runs");
    return slotMs;
  }
}
