/**
 * The tickets by which open runs have a place. A run that pauses between two attempts gives its place up, and waits for
 * one again after the pause: a target that fails and is retried costs nobody else a place meanwhile.
 */
import type { GateTicket, RunGate } from "./run-gate.ts";
import { TeamQueues } from "./team-queues.ts";

/**
 * Waits for a time during which the run needs no place, and then until it has one again. Rejects with the signal's
 * reason when that aborts.
 */
export type Pause = (durationMs: number, signal: AbortSignal) => Promise<void>;

/** The place of an open run; without a ticket the run pauses between two attempts. */
export interface OpenRunTicket {
  teamNumber: number;
  ticket: GateTicket | undefined;
}

/** The gate that gives places, and the clock and timer of pauses. */
interface RunTicketsParts {
  gate: RunGate;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** One-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
  /** Called when a run gave its place up, or waits for one: the caller fills the free places. */
  onChange: () => void;
}

/** Hands places of the gate to runs, and counts the runs that pause. */
export class RunTickets {
  readonly #parts: RunTicketsParts;
  /** Runs whose pause is over, which wait for a place. */
  readonly #resuming = new TeamQueues<(nowMs: number) => void>();
  #pausedRuns = 0;
  #isStopped = false;

  constructor(parts: RunTicketsParts) {
    this.#parts = parts;
  }

  /** Open runs, paused ones included. */
  get activeRuns(): number {
    return this.#parts.gate.openCount + this.#pausedRuns;
  }

  /** Number of runs whose pause is over and that have no place yet. */
  get resumingRuns(): number {
    return this.#resuming.size;
  }

  /** Gives a run that begins its place. The caller has asked the gate whether there is one. */
  enter(teamNumber: number, nowMs: number): OpenRunTicket {
    return { teamNumber, ticket: this.#parts.gate.enter(nowMs, teamNumber) };
  }

  /** Takes the run's place away; harmless while the run pauses. */
  leave(run: OpenRunTicket): void {
    if (run.ticket) this.#parts.gate.leave(run.ticket);
    run.ticket = undefined;
  }

  /** Waits without a place. Nothing of the run must go on meanwhile. */
  async pause(run: OpenRunTicket, durationMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.leave(run);
    this.#pausedRuns++;
    this.#parts.onChange();
    let cancel = () => {};
    let onAbort = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        onAbort = () => reject(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
        cancel = this.#parts.setTimer(() => this.#resume(run, resolve, signal), durationMs);
      });
    } finally {
      cancel();
      // The signal outlives all runs.
      signal.removeEventListener("abort", onAbort);
      this.#pausedRuns--;
    }
  }

  /**
   * Gives a place to the next run that waits for one.
   * @returns false when none waits whose team may enter
   */
  resumeNext(mayEnter: (teamNumber: number) => boolean, nowMs: number): boolean {
    const resume = this.#resuming.removeNext(mayEnter);
    resume?.(nowMs);
    return resume !== undefined;
  }

  /** Lets every run resume at once from now on: a stopping agent's last runs need not wait. */
  stop(): void {
    this.#isStopped = true;
    for (const resume of this.#resuming.removeExpired(() => true)) resume(this.#parts.nowMs());
  }

  /** Gives the run a place again as soon as there is one for its team. */
  #resume(run: OpenRunTicket, resolve: () => void, signal: AbortSignal): void {
    const { gate, nowMs, onChange } = this.#parts;
    const enter = (atMs: number) => {
      if (signal.aborted) return;
      run.ticket = gate.enter(atMs, run.teamNumber);
      resolve();
    };
    if (this.#isStopped) {
      enter(nowMs());
      return;
    }
    this.#resuming.add(run.teamNumber, enter);
    onChange();
  }
}
