/**
 * The dispatches of one replica: requests to run one slot of a check location now. Triggers and first runs go to the owner
 * of the check location, given back slots to the next runner that has not tried. A dispatch stays in memory while the slot
 * may still be run, so that an owner that changes meanwhile gets it too. Each replica sends to its own streams only, and
 * each stream gets a dispatch once. Pure memory, no I/O.
 */
import { create } from "@bufbuild/protobuf";
import { type Check, type RunNow, RunNowSchema, RunReason } from "@svc/proto/svc/runner/v1/runner_pb";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { DispatchRow, GivenBackRow } from "../fleet/fleet-store.ts";
import { GRACE_MS } from "../fleet/timing.ts";
import { type CheckLocationSlot, checkLocationSlotId } from "../platform/check-location.ts";

/** A request to run one slot of a check location at once. */
export interface Dispatch extends CheckLocationSlot {
  reason: RunReason;
  /** Unix ms: no runner begins it later. */
  runUntilMs: number;
  /** Runners that gave it back. */
  triedRunnerKeys: readonly number[];
  /** Runners that run it only when no other can, as a second opinion is wanted. */
  avoidRunnerKeys: readonly number[];
}

/** A stream that dispatches are sent to. */
export interface DispatchTarget {
  /** True when the slot was dispatched by this stream. */
  hasSent(slot: CheckLocationSlot): boolean;
}

/** Holds dispatches in memory, from the poll that finds them until their slots may not be run any more. */
export class Dispatches {
  readonly #dispatches = new Map<string, Dispatch>();

  addRows(rows: readonly DispatchRow[]): void {
    for (const { checkKey, slotMs, locationKeys, reason, avoidRunnerKeys } of rows)
      for (const locationKey of locationKeys)
        this.#add("manual", {
          checkKey,
          locationKey,
          slotMs,
          reason: reason === "first_run" ? RunReason.FIRST_RUN : RunReason.TRIGGERED,
          runUntilMs: slotMs + GRACE_MS,
          triedRunnerKeys: [],
          avoidRunnerKeys,
        });
  }

  addGivenBack(rows: readonly GivenBackRow[]): void {
    for (const row of rows)
      this.#add("given back", { ...row, reason: RunReason.GIVEN_BACK, avoidRunnerKeys: [] });
  }

  /** Forgets the dispatches of slots that no runner may begin any more. */
  prune(nowMs: number): void {
    for (const [id, dispatch] of this.#dispatches)
      if (dispatch.runUntilMs < nowMs) this.#dispatches.delete(id);
  }

  /**
   * Returns the dispatches that have not been sent to the right stream yet, each with its stream.
   * @param targetOf this replica's stream of a runner, by the runner's key; undefined when it has none
   */
  listUnsent<Target extends DispatchTarget>(
    state: FleetState,
    targetOf: (runnerKey: number) => Target | undefined,
  ): { dispatch: Dispatch; target: Target }[] {
    const unsent: { dispatch: Dispatch; target: Target }[] = [];
    for (const dispatch of this.#dispatches.values()) {
      const runnerKey = chooseRunner(dispatch, state);
      const target = runnerKey === undefined ? undefined : targetOf(runnerKey);
      if (target && !target.hasSent(dispatch)) unsent.push({ dispatch, target });
    }
    return unsent;
  }

  /** Forgets the dispatch, as its slot has a result. */
  remove(dispatch: Dispatch): void {
    for (const [id, known] of this.#dispatches) if (known === dispatch) this.#dispatches.delete(id);
  }

  #add(kind: string, dispatch: Dispatch): void {
    this.#dispatches.set(`${kind}:${checkLocationSlotId(dispatch)}`, dispatch);
  }
}

/** Returns the key of the owner; for a check that is off, or a slot given back, of the best runner that has not tried. */
function chooseRunner(dispatch: Dispatch, state: FleetState): number | undefined {
  const { avoidRunnerKeys, triedRunnerKeys } = dispatch;
  const others = state.rank(dispatch).filter((runner) => !avoidRunnerKeys.includes(runner.runnerKey));
  if (avoidRunnerKeys.length > 0 && others[0]) return others[0].runnerKey;
  const owner = state.ownerKey(dispatch);
  if (owner !== undefined && !triedRunnerKeys.includes(owner)) return owner;
  return state.rank(dispatch).find((runner) => !triedRunnerKeys.includes(runner.runnerKey))?.runnerKey;
}

/** @param dispatchToken lets its bearer deliver the result of this run over REST */
export function dispatchToProto(dispatch: Dispatch, check: Check, dispatchToken: string): RunNow {
  return create(RunNowSchema, {
    check,
    dispatchToken,
    locationKey: dispatch.locationKey,
    slotMs: BigInt(dispatch.slotMs),
    reason: dispatch.reason,
    beginByMs: BigInt(dispatch.runUntilMs),
  });
}
