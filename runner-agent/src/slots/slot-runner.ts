/**
 * Fires slots: one timer over the schedule's heap, a queue of due slots for each team, and a gate in front of the
 * probe. A (check, location, slot) is run once, and a check location has at most two open runs: one of the grid and one
 * that was dispatched. A slot that can't be run within the grace, or whose run fails by this runner's own fault, is
 * given back and never reported as the target's failure. States: running until `stop`, then draining (nothing new is
 * begun).
 */
import { MINUTE_MS, type RunFaultReason } from "@svc/contract";
import type { ProbeOutcome, ProbeRequest, RunFault, RunResult } from "@svc/probes";
import { beganWork } from "../base/loop-watch.ts";
import {
  type AssignmentDelta,
  type AssignmentSnapshot,
  checkLocationId,
  type Dispatch,
  type GivenBackSlot,
  type SlotKey,
} from "../model/assignment.ts";
import { AssignedCheck } from "./assigned-check.ts";
import { OpenRuns } from "./open-runs.ts";
import { RecentSlots } from "./recent-slots.ts";
import { RunGate } from "./run-gate.ts";
import { type OpenRunTicket, type Pause, RunTickets } from "./run-tickets.ts";
import { type DueSlot, type DueSlotReceiver, SlotSchedule } from "./slot-schedule.ts";
import { TeamQueues } from "./team-queues.ts";

/** Inputs of the slot runner, and its outputs (`on...`). */
export interface SlotRunnerParts {
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** One-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
  /** Carries out a run; it waits between its attempts by `pause`. */
  probe: (request: ProbeRequest, slot: DueSlot, pause: Pause) => Promise<ProbeOutcome>;
  onResult: (slot: DueSlot, result: RunResult) => void;
  onGiveBack: (slot: GivenBackSlot) => void;
  /** Called when a run begins, with the time since it was due. */
  onStart: (latenessMs: number) => void;
  /** Warns the operator; called at most once per check and revision. */
  warn: (message: string, fields: Record<string, unknown>) => void;
  maxInFlight: number;
}

/**
 * Shortest time that slots are remembered. A slot is dispatched again only within the grace, or when a stream is
 * resumed.
 */
const REMEMBERED_MS = 120_000;
/** Longest sleep of the timer, so that a correction of the clock takes effect. */
const TIMER_MAX_MS = 1000;
/** Grace until the control plane has named one. */
const GRACE_DEFAULT_MS = MINUTE_MS;

/** Runs the slots of the agent's assigned checks. */
export class SlotRunner {
  readonly #parts: SlotRunnerParts;
  readonly #schedule = new SlotSchedule();
  readonly #recent: RecentSlots;
  readonly #gate: RunGate;
  /** Made once, since the schedule asks at every tick. */
  readonly #dueSlots: DueSlotReceiver = {
    onDue: (slot) => this.#enqueue(slot),
    onMissed: (slot) => this.#giveBack(slot, "capacity"),
  };
  readonly #waiting = new TeamQueues<DueSlot>();
  readonly #openRuns = new OpenRuns();
  readonly #tickets: RunTickets;
  #graceMs = GRACE_DEFAULT_MS;
  #isStopped = false;
  #cancelTimer: (() => void) | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #whenIdle: (() => void)[] = [];

  constructor(parts: SlotRunnerParts) {
    this.#parts = parts;
    this.#gate = new RunGate(parts.maxInFlight);
    const { nowMs, setTimer } = parts;
    const onChange = () => {
      if (this.waitingRuns > 0) this.#pump();
    };
    this.#tickets = new RunTickets({ gate: this.#gate, nowMs, setTimer, onChange });
    this.#recent = new RecentSlots(REMEMBERED_MS, parts.nowMs);
  }

  get activeRuns(): number {
    return this.#tickets.activeRuns;
  }

  get waitingRuns(): number {
    return this.#waiting.size + this.#tickets.resumingRuns;
  }

  get assignedChecks(): number {
    return this.#schedule.checkCount;
  }

  /** Number of runs that may begin at a time; never above the configured one. */
  get inFlightLimit(): number {
    return this.#gate.freshMax;
  }

  set inFlightLimit(value: number) {
    this.#gate.freshMax = Math.min(value, this.#parts.maxInFlight);
    this.#pump();
  }

  /** Largest delay with which a due slot is still run. */
  set graceMs(value: number) {
    this.#graceMs = value;
    this.#recent.keepMs = Math.max(REMEMBERED_MS, 2 * value);
  }

  /** True while several teams have checks here. */
  get isShared(): boolean {
    return this.#gate.isShared;
  }

  /** Marks slots that have a result already, so that they are not run again. */
  markDone(slots: Iterable<SlotKey>): void {
    const nowMs = this.#parts.nowMs();
    for (const slot of slots) {
      if (slot.slotMs >= nowMs - this.#recent.keepMs) this.#recent.add(checkLocationId(slot), slot.slotMs);
    }
  }

  /** Replaces the assignment, and runs its overdue slots that are within the grace. */
  applySnapshot(snapshot: AssignmentSnapshot): void {
    this.#markAssignedDone(snapshot);
    this.#schedule.applySnapshot(snapshot, this.#parts.nowMs(), this.#graceMs);
    this.#gate.isShared = this.#schedule.teamCount > 1;
    this.#pump();
  }

  /** Changes the assignment. */
  applyDelta(delta: AssignmentDelta): void {
    this.#markAssignedDone(delta);
    this.#schedule.applyDelta(delta, this.#parts.nowMs(), this.#graceMs);
    this.#gate.isShared = this.#schedule.teamCount > 1;
    this.#pump();
  }

  /** Runs one slot at once, unless it ran already. */
  runNow({ check, locationKey, slotMs, beginByMs }: Dispatch): void {
    const assigned = this.#schedule.findCheck(check.checkKey);
    const known = assigned?.revision === check.revision ? assigned : new AssignedCheck(check);
    // Due now: a slot that was dispatched late is not late by this runner's doing.
    const dueMs = this.#parts.nowMs();
    this.#enqueue({
      check: known,
      locationKey,
      checkLocationId: checkLocationId({ checkKey: check.checkKey, locationKey }),
      slotMs,
      dueMs,
      beginByMs: beginByMs ?? dueMs + this.#graceMs,
      isDispatched: true,
    });
    this.#pump();
  }

  /** Begins nothing more. Waiting slots are given back as draining, and so is every slot from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
    const waiting = [...this.#waiting.removeExpired(() => true), ...this.#openRuns.removeParked()];
    for (const slot of waiting) this.#giveBack(slot, "draining");
    this.#tickets.stop();
  }

  /** Resolves once nothing is in flight. */
  async idle(): Promise<void> {
    if (this.activeRuns === 0) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #markAssignedDone({ assignments }: AssignmentSnapshot): void {
    for (const { checkKey, locationKey, doneSlotsMs } of assignments) {
      if (doneSlotsMs.length > 0)
        this.markDone(doneSlotsMs.map((slotMs) => ({ checkKey, locationKey, slotMs })));
    }
  }

  #enqueue(slot: DueSlot): void {
    if (!this.#recent.add(slot.checkLocationId, slot.slotMs)) return;
    if (this.#isStopped) this.#giveBack(slot, "draining");
    else if (this.#openRuns.isOverrun(slot, this.#parts.nowMs())) this.#giveBack(slot, "previous_run");
    else this.#waiting.add(slot.check.teamNumber, slot);
  }

  /** Queues the slots that are due, begins as many as the gate lets in, and sets the timer for the next. */
  #pump(): void {
    if (this.#isStopped) return;
    const nowMs = this.#parts.nowMs();
    this.#schedule.advance(nowMs, this.#graceMs, this.#dueSlots);
    for (const slot of this.#openRuns.removeOverrun(nowMs)) this.#giveBack(slot, "previous_run");
    this.#beginWaiting(nowMs);
    this.#setTimer(nowMs);
  }

  #beginWaiting(nowMs: number): void {
    if (this.waitingRuns === 0) return;
    const isTooLate = (slot: DueSlot) => nowMs > slot.beginByMs;
    for (const slot of this.#waiting.removeExpired(isTooLate)) this.#giveBack(slot, "capacity");
    const mayEnter = (teamNumber: number) => this.#gate.mayEnter(teamNumber);
    while (this.waitingRuns > 0 && this.#gate.hasPlace(nowMs)) {
      // Runs whose pause is over come before runs that have not begun.
      if (this.#tickets.resumeNext(mayEnter, nowMs)) continue;
      const slot = this.#waiting.removeNext(mayEnter);
      if (slot === undefined) return;
      this.#beginAlone(slot, nowMs);
    }
  }

  /** Begins the slot's run, or makes it wait for the open run of its check location. */
  #beginAlone(slot: DueSlot, nowMs: number): void {
    const parking = this.#openRuns.park(slot);
    if (parking === "full") this.#giveBack(slot, "previous_run");
    if (parking !== "free") return;
    this.#openRuns.begin(slot, nowMs);
    this.#begin(slot, this.#tickets.enter(slot.check.teamNumber, nowMs));
  }

  /** Lets go of the check location's open run: slots that waited for it are queued, those that waited too long given back. */
  #endAlone(ended: DueSlot): void {
    const nowMs = this.#parts.nowMs();
    const { free, overrun } = this.#openRuns.end(ended, nowMs);
    for (const slot of overrun) this.#giveBack(slot, "previous_run");
    for (const slot of free) {
      if (this.#isStopped) this.#giveBack(slot, "draining");
      else if (nowMs > slot.beginByMs) this.#giveBack(slot, "previous_run");
      else this.#waiting.add(slot.check.teamNumber, slot);
    }
  }

  #begin(slot: DueSlot, run: OpenRunTicket): void {
    let request: ProbeRequest;
    const wasUsable = !slot.check.isUnusable;
    try {
      request = slot.check.requestFor(slot.slotMs);
    } catch (error) {
      if (wasUsable) this.#warnUnusable(slot.check, error);
      this.#tickets.leave(run);
      this.#endAlone(slot);
      this.#giveBack(slot, "unsupported");
      return;
    }
    this.#parts.onStart(Math.max(0, this.#parts.nowMs() - slot.dueMs));
    beganWork(`run of ${request.type} check ${request.checkId}`);
    const pause: Pause = (durationMs, signal) => this.#tickets.pause(run, durationMs, signal);
    this.#parts.probe(request, slot, pause).then(
      (outcome) => this.#end(slot, run, outcome),
      (cause: unknown) => {
        const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
        this.#end(slot, run, { kind: "fault", reason: "crash", message: `the probe threw: ${message}` });
      },
    );
  }

  #warnUnusable(check: AssignedCheck, cause: unknown): void {
    this.#parts.warn("this agent does not understand a check's configuration; its slots are given back", {
      checkId: check.checkId,
      type: check.type,
      revision: check.revision,
      // The error's name only: its text may repeat secrets of the configuration.
      error: cause instanceof Error ? cause.name : "unknown",
    });
  }

  #end(slot: DueSlot, run: OpenRunTicket, outcome: ProbeOutcome): void {
    this.#tickets.leave(run);
    this.#endAlone(slot);
    if (outcome.kind === "result") this.#parts.onResult(slot, outcome);
    else this.#giveBackFault(slot, outcome);
    if (this.waitingRuns > 0) this.#pump();
    if (this.activeRuns === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #giveBackFault(slot: DueSlot, { reason, message }: RunFault): void {
    // A crash is our own mistake, which nobody else reports; the other reasons show in the metrics.
    if (reason === "crash" && !slot.check.hasCrashed) {
      slot.check.hasCrashed = true;
      const { checkId, revision } = slot.check;
      this.#parts.warn("a probe crashed; the slot is given back", { checkId, revision, error: message });
    }
    this.#giveBack(slot, reason);
  }

  #giveBack({ check, locationKey, checkLocationId, slotMs }: DueSlot, reason: RunFaultReason): void {
    this.#recent.delete(checkLocationId, slotMs);
    this.#parts.onGiveBack({ checkKey: check.checkKey, locationKey, slotMs, reason });
  }

  #setTimer(nowMs: number): void {
    let atMs = Math.min(this.#schedule.nextDueMs ?? Number.POSITIVE_INFINITY, nowMs + TIMER_MAX_MS);
    if (this.waitingRuns > 0) atMs = Math.min(atMs, this.#gate.nextEntryAtMs ?? atMs);
    // A timer that fires early finds nothing due and is set again, so an equal or earlier one can stay.
    if (this.#cancelTimer !== undefined && this.#timerAtMs <= atMs && this.#timerAtMs > nowMs) return;
    this.#cancelTimer?.();
    this.#timerAtMs = atMs;
    this.#cancelTimer = this.#parts.setTimer(
      () => {
        this.#cancelTimer = undefined;
        this.#pump();
      },
      Math.max(1, Math.ceil(atMs - nowMs)),
    );
  }
}
