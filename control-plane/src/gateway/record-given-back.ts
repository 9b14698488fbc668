/** Records slots that a runner gave back. Which of them are a location's to run is judged in memory first. */
import { backoffMs, missingReasonOfFault } from "@svc/contract";
import { FaultReason, type GivenBackSlot } from "@svc/proto/svc/runner/v1/runner_pb";
import { staggerOf } from "../fleet/fleet-check.ts";
import type { FleetState } from "../fleet/fleet-state.ts";
import { judgeSlot } from "../fleet/judge-slot.ts";
import { GRACE_MS } from "../fleet/timing.ts";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import { isDatabaseUnavailable } from "../platform/db/errors.ts";
import { sleepBy, type Timing } from "../platform/timing.ts";
import type { GivenBackStore } from "./given-back-store.ts";

/** Slots that are recorded of one message; further ones will be missing without a reason. */
const SLOTS_MAX = 10_000;
/** Waits while the database is away, and their number: about a quarter of an hour. */
const WAITS = { firstMs: 100, largestMs: 3_000 };
const WAITS_MAX = 300;

/** The slots of one message. */
interface GivenBack {
  runnerKey: number;
  slots: readonly GivenBackSlot[];
}

/**
 * Records slots as {@link recordOnce} does, once the database is there: an agent gives a slot back once, so they wait here.
 * @throws the database's error when it is away for long, or refuses a value
 */
export async function recordGivenBack(
  store: GivenBackStore,
  state: FleetState,
  { timing, ...givenBack }: GivenBack & { timing: Timing },
): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await recordOnce(store, state, givenBack);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || failures > WAITS_MAX) throw error;
      await sleepBy(timing, backoffMs(failures, WAITS));
    }
  }
}

/**
 * Records that a runner gave the slots back, and wakes every replica. Slots that the location was never to run are left
 * out: those of checks that are gone, of another team or not at the location, and instants that are neither a slot nor
 * a dispatch. A slot whose check's run before it was still open is missed at once: on another runner that run would be
 * open, too.
 */
async function recordOnce(
  store: GivenBackStore,
  state: FleetState,
  { runnerKey, slots }: GivenBack,
): Promise<void> {
  const runnable = await selectRunnable(store, state, slots.slice(0, SLOTS_MAX));
  const overrun = runnable.filter(({ reason }) => reason === FaultReason.PREVIOUS_RUN);
  if (overrun.length > 0) await store.insertOverrun(overrun);
  const rows = runnable.flatMap((slot) => {
    if (slot.reason === FaultReason.PREVIOUS_RUN) return [];
    const check = state.check(slot.checkKey);
    if (!check) return [];
    const runUntilMs = slot.slotMs + staggerOf(check, slot.locationKey) + GRACE_MS;
    const { checkKey, locationKey, slotMs, reason } = slot;
    return [{ checkKey, locationKey, slotMs, reason: missingReasonOfFault(reason), runUntilMs }];
  });
  if (rows.length > 0) await store.insertGivenBack(runnerKey, rows);
}

/** Returns those of the slots that are the location's to run. */
async function selectRunnable(
  store: GivenBackStore,
  state: FleetState,
  slots: readonly GivenBackSlot[],
): Promise<(CheckLocationSlot & { reason: FaultReason })[]> {
  const judged = slots.map(({ checkKey, locationKey, slotMs, reason }) => {
    const slot = { checkKey: Number(checkKey), locationKey, slotMs: Number(slotMs) };
    return { ...slot, reason, judgement: judgeSlot(state, slot) };
  });
  const onGrid = judged.filter(({ judgement }) => judgement.kind === "accepted");
  const offGrid = judged.filter(({ judgement }) => judgement.kind === "unsure" && judgement.about === "slot");
  if (offGrid.length === 0) return onGrid;
  const dispatched = await store.findManualRuns(offGrid);
  return [...onGrid, ...offGrid.filter((_, i) => dispatched.has(i))];
}
