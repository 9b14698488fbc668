/**
 * How busy this process's event loop is. A busy loop falsifies what it times (measured with a target that answers after
 * 20 ms: honest up to about 60 % of a core, 33 ms at the 95th percentile from 75 %), so the agent takes on no more than it
 * can time, and says so.
 */

/** Above this share of a busy loop no further checks are wanted; below the other one, they are again. */
const ACCEPTING_BUSY_MAX = 0.65;
const ACCEPTING_AGAIN_BUSY_MAX = 0.55;
/** The same for the 99th percentile of lateness. */
const ACCEPTING_LATENESS_MAX_MS = 1000;
const ACCEPTING_AGAIN_LATENESS_MAX_MS = 250;
/** Above this share fewer runs are begun at a time, so that each is still timed by a loop that is free for it. */
const CROWDED_BUSY = 0.85;
const ROOMY_BUSY = 0.65;
const IN_FLIGHT_MIN = 4;

/** Whether further checks are welcome, with hysteresis so that the answer does not flap. */
export function isAccepting(wasAccepting: boolean, busyShare: number, latenessP99Ms: number): boolean {
  return wasAccepting
    ? busyShare <= ACCEPTING_BUSY_MAX && latenessP99Ms <= ACCEPTING_LATENESS_MAX_MS
    : busyShare <= ACCEPTING_AGAIN_BUSY_MAX && latenessP99Ms <= ACCEPTING_AGAIN_LATENESS_MAX_MS;
}

/** The number of runs to begin at a time from now on: down fast when the loop is crowded, up again when it has room. */
export function nextInFlightLimit(current: number, busyShare: number, max: number): number {
  if (busyShare > CROWDED_BUSY) return Math.max(Math.min(IN_FLIGHT_MIN, max), Math.floor(current * 0.7));
  if (busyShare < ROOMY_BUSY) return Math.min(max, Math.ceil(current * 1.25) + 1);
  return current;
}

/** Busy time since the last look. `read` gives totals since any fixed moment, in ms. */
export class LoopMeter {
  readonly #read: () => { active: number; idle: number };
  #last: { active: number; idle: number };

  constructor(read: () => { active: number; idle: number }) {
    this.#read = read;
    this.#last = read();
  }

  /** Share of the time since the last call that the loop was busy, 0 to 1. */
  takeBusyShare(): number {
    const now = this.#read();
    const active = now.active - this.#last.active;
    const idle = now.idle - this.#last.idle;
    this.#last = now;
    return active + idle > 0 ? Math.min(1, Math.max(0, active / (active + idle))) : 0;
  }
}
