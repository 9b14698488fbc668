/** Orders to run a check now, outside its schedule. The instant of the order is the run's slot. */
import { isSlot, phaseMs } from "@svc/contract";
import type { Knex } from "knex";
import { notifyChange } from "../platform/db/change-listener.ts";
import { insertManualRun, type ManualRun } from "./store.ts";

/**
 * Orders a run in each of the locations.
 * @param avoidRunnerKeys runners that shall run it only when nobody else can
 * @returns its slot: `nowMs`, or the next ms that is neither on the check's grid nor another order's, since the slot is
 * what tells one result from another
 */
export async function orderRun(
  trx: Knex,
  check: { key: number; id: string; frequencySeconds: number },
  locationKeys: readonly number[],
  nowMs: number,
  reason: ManualRun["reason"],
  avoidRunnerKeys: readonly number[] = [],
): Promise<number> {
  const periodMs = check.frequencySeconds * 1000;
  const phase = phaseMs(check.id, check.frequencySeconds);
  for (let slotMs = nowMs; ; slotMs++) {
    if (isSlot(slotMs, periodMs, phase)) continue;
    const run = { checkKey: check.key, slotMs, locationKeys, reason, avoidRunnerKeys };
    if (!(await insertManualRun(trx, run))) continue;
    await notifyChange(trx, "manual_runs");
    return slotMs;
  }
}
