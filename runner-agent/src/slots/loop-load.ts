/**
 * Rules on the load of the event loop. A busy loop falsifies the times it measures (with a target that answers after 20
 * ms: exact up to about 60 % of a core, 33 ms at the 95th percentile from 75 %). So the agent takes on no more checks
 * than it can time.
 */

/**
 * An accepting agent stops accepting checks above this busy share of the loop; another one begins again below the
 * second.
 */
const ACCEPTING_BUSY_MAX = 0.65;
const ACCEPTING_AGAIN_BUSY_MAX = 0.55;
/** Bounds of the 99th percentile of lateness, used like the two shares. */
const ACCEPTING_LATENESS_MAX_MS = 1000;
const ACCEPTING_AGAIN_LATENESS_MAX_MS = 250;
/**
 * Above the first share fewer runs are begun at a time, so that the loop is free for each of them; below the second,
 * more.
 */
const CROWDED_BUSY = 0.85;
const ROOMY_BUSY = 0.65;
const IN_FLIGHT_MIN = 4;

/** The load that decides whether the agent accepts further checks. */
export interface AcceptingInput {
  /** True when the agent accepts checks so far. */
  wasAccepting: boolean;
  /** Busy share of the event loop, 0 to 1. */
  busyShare: number;
  latenessP99Ms: number;
}

/** True when the agent should accept further checks. Has hysteresis, so that the answer does not flap. */
export function isAccepting({ wasAccepting, busyShare, latenessP99Ms }: AcceptingInput): boolean {
  return wasAccepting
    ? busyShare <= ACCEPTING_BUSY_MAX && latenessP99Ms <= ACCEPTING_LATENESS_MAX_MS
    : busyShare <= ACCEPTING_AGAIN_BUSY_MAX && latenessP99Ms <= ACCEPTING_AGAIN_LATENESS_MAX_MS;
}

/** Returns how many runs may begin at a time: quickly fewer when the loop is crowded, more again when it is not. */
export function nextInFlightLimit(current: number, busyShare: number, max: number): number {
  if (busyShare > CROWDED_BUSY) return Math.max(Math.min(IN_FLIGHT_MIN, max), Math.floor(current * 0.7));
  if (busyShare < ROOMY_BUSY) return Math.min(max, Math.ceil(current * 1.25) + 1);
  return current;
}

/** Measures the busy share of the event loop between two calls. */
export class LoopMeter {
  readonly #read: () => { active: number; idle: number };
  #last: { active: number; idle: number };

  /** @param read total busy and idle time of the loop, in ms since any fixed instant */
  constructor(read: () => { active: number; idle: number }) {
    this.#read = read;
    this.#last = read();
  }

  /** Returns the busy share of the time since the last call, 0 to 1. */
  nextBusyShare(): number {
    const now = this.#read();
    const active = now.active - this.#last.active;
    const idle = now.idle - this.#last.idle;
    this.#last = now;
    return active + idle > 0 ? Math.min(1, Math.max(0, active / (active + idle))) : 0;
  }
}
