/** Dispatches: requests to run a check now, outside its schedule. The instant of the request is the run's slot. */
import { type CheckId, isSlot, phaseMs } from "@svc/contract";
import type { Knex } from "knex";
import { wakeFleets } from "../platform/db/wake-ups.ts";
import { activeTraceparent } from "../platform/tracing/traceparent.ts";
import { type Dispatch, insertDispatch } from "./store.ts";

/** The check to run, where, and why. */
export interface DispatchInput {
  check: { key: number; id: CheckId; frequencySeconds: number };
  locationKeys: readonly number[];
  /** Instant of the request, Unix ms. */
  atMs: number;
  reason: Dispatch["reason"];
  /** Runners that run it only when nobody else can; default none. */
  avoidRunnerKeys?: readonly number[];
}

/**
 * Dispatches a run in each of the locations. Within a traced request the runs belong to its trace.
 * @returns the run's slot, Unix ms: `atMs`, or the next ms that is neither on the check's grid nor another dispatch's,
 *   since the slot is what tells one result from another
 */
export async function dispatchRun(
  trx: Knex,
  { check, locationKeys, atMs, reason, avoidRunnerKeys = [] }: DispatchInput,
): Promise<number> {
  const periodMs = check.frequencySeconds * 1000;
  const phase = phaseMs(check.id, check.frequencySeconds);
  const traceparent = activeTraceparent();
  for (let slotMs = atMs; ; slotMs++) {
    if (isSlot(slotMs, periodMs, phase)) continue;
    const dispatch = { checkKey: check.key, slotMs, locationKeys, reason, avoidRunnerKeys, traceparent };
    if (!(await insertDispatch(trx, dispatch))) continue;
    await wakeFleets(trx, "manual_runs");
    return slotMs;
  }
}
