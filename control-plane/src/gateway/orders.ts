/**
 * Orders to run one slot now: triggered and first runs go to the location's owner, given back slots to the next runner
 * that has not tried. Kept in memory while they may still be run, so that an owner that changes meanwhile gets them too;
 * each replica sends to its own streams only, and each stream gets an order once.
 */
import { create } from "@bufbuild/protobuf";
import { type Check, RunNowSchema, RunReason } from "@svc/proto/svc/runner/v1/runner_pb";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { GivenBackRow, ManualRunRow } from "../fleet/fleet-store.ts";
import { GRACE_MS } from "../fleet/timing.ts";

/** One slot of a check at one location that someone shall run at once. */
export interface Order {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  reason: RunReason;
  /** Unix ms: no runner begins it later. */
  runUntilMs: number;
  triedRunnerKeys: readonly number[];
  /** Runners that run it only when nobody else can: another pair of eyes is wanted. */
  avoidRunnerKeys: readonly number[];
}

/** What orders are sent to. */
export interface OrderTarget {
  hasSentRun(run: { checkKey: number; locationKey: number; slotMs: number }): boolean;
  runNow(order: ReturnType<typeof runNowFromOrder>): boolean;
}

export class Orders {
  readonly #orders = new Map<string, Order>();

  addManualRuns(rows: readonly ManualRunRow[]): void {
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

  /** Forgets what may no longer be run. */
  prune(nowMs: number): void {
    for (const [id, order] of this.#orders) if (order.runUntilMs < nowMs) this.#orders.delete(id);
  }

  /** The orders that this replica's streams shall get now, each with its stream. */
  due<Target extends OrderTarget>(
    state: FleetState,
    targetOf: (runnerKey: number) => Target | undefined,
  ): { order: Order; target: Target }[] {
    const due: { order: Order; target: Target }[] = [];
    for (const order of this.#orders.values()) {
      const runnerKey = runnerFor(order, state);
      const target = runnerKey === undefined ? undefined : targetOf(runnerKey);
      if (target && !target.hasSentRun(order)) due.push({ order, target });
    }
    return due;
  }

  /** A result for it is there. */
  remove(order: Order): void {
    for (const [id, known] of this.#orders) if (known === order) this.#orders.delete(id);
  }

  #add(kind: string, order: Order): void {
    this.#orders.set(`${kind}:${order.checkKey}:${order.locationKey}:${order.slotMs}`, order);
  }
}

/** The owner; for a check that is off, or a slot given back, the best runner that has not tried. */
function runnerFor(order: Order, state: FleetState): number | undefined {
  const others = state.rank(order).filter((runner) => !order.avoidRunnerKeys.includes(runner.runnerKey));
  if (order.avoidRunnerKeys.length > 0 && others[0]) return others[0].runnerKey;
  const owner = state.ownerKey(order);
  if (owner !== undefined && !order.triedRunnerKeys.includes(owner)) return owner;
  return state.rank(order).find((runner) => !order.triedRunnerKeys.includes(runner.runnerKey))?.runnerKey;
}

/** @param dispatchToken lets its bearer deliver this run's result over REST */
export function runNowFromOrder(order: Order, check: Check, dispatchToken: string) {
  return create(RunNowSchema, {
    check,
    dispatchToken,
    locationKey: order.locationKey,
    slotMs: BigInt(order.slotMs),
    reason: order.reason,
  });
}
