/**
 * The corrected clock: this machine's estimate of the control plane's time. It is carried on by the monotonic clock, so
 * that a jump of the machine's own clock in mid-run changes nothing. Its offset is measured on the stream as in NTP:
 * the server's time against the midpoint of the round trip; of the recent samples the one with the shortest round trip
 * decides. Small errors are slewed, so that the clock does not go back. Only the first measurement, and an error too
 * large to slew, move the clock at once.
 */
import { MINUTE_MS } from "@svc/contract";

/** The clocks underneath; injected so that tests own time. */
export interface TimeSource {
  /** A clock that never goes back, ms; its origin is arbitrary. */
  monotonicMs: () => number;
  /** The machine's clock, Unix ms. */
  wallMs: () => number;
}

/** One round trip to the control plane. */
export interface OffsetSample {
  /** `localMs()` when the question left. */
  sentLocalMs: number;
  /** The server's clock in its answer, Unix ms. */
  serverMs: number;
  /** `localMs()` when the answer came. */
  receivedLocalMs: number;
}

/** Round trips kept to choose the best from: with a heartbeat each 5 s, the last 40 s. */
const SAMPLES_KEPT = 8;
/** A round trip longer than this says nothing about the offset. */
const ROUND_TRIP_MAX_MS = 10_000;
/** Share by which slewing slows the clock down or speeds it up. */
const SLEW_RATE = 0.2;
/**
 * Largest lag that is corrected by slewing. Beyond it the clock jumps forward, and slots that became due by the jump
 * are run at once.
 */
const SLEW_FORWARD_MAX_MS = 250;
/** Largest lead that is corrected by slewing. Beyond it the clock is set back at once, since slewing would take too long. */
const SLEW_BACK_MAX_MS = MINUTE_MS;
/** Jitter allowed beyond the samples' own error bounds. Beyond it one of the clocks has moved (suspend, another replica). */
const DISAGREEMENT_MS = 50;

/** The agent's estimate of the control plane's time, corrected by measured offsets. */
export class CorrectedClock {
  readonly #time: TimeSource;
  readonly #wallMinusMonotonicMs: number;
  #samples: { offsetMs: number; roundTripMs: number }[] = [];
  #isMeasured = false;
  #targetOffsetMs: number;
  #offsetMs: number;
  #slewedUntilLocalMs: number;

  /**
   * @param initialOffsetMs the last offset that an earlier process measured, used until this process has measured its
   * own
   */
  constructor(time: TimeSource, initialOffsetMs = 0) {
    this.#time = time;
    this.#wallMinusMonotonicMs = time.wallMs() - time.monotonicMs();
    this.#targetOffsetMs = initialOffsetMs;
    this.#offsetMs = initialOffsetMs;
    this.#slewedUntilLocalMs = this.localMs();
  }

  /** Returns the agent's uncorrected clock, Unix ms: the machine's time at the start, carried on by the monotonic clock. */
  localMs(): number {
    return this.#time.monotonicMs() + this.#wallMinusMonotonicMs;
  }

  /** Returns the corrected time, Unix ms with fractions. */
  nowMs(): number {
    const localMs = this.localMs();
    const errorMs = this.#targetOffsetMs - this.#offsetMs;
    if (errorMs !== 0) {
      const stepMs = Math.max(0, localMs - this.#slewedUntilLocalMs) * SLEW_RATE;
      this.#offsetMs =
        Math.abs(errorMs) <= stepMs ? this.#targetOffsetMs : this.#offsetMs + Math.sign(errorMs) * stepMs;
    }
    this.#slewedUntilLocalMs = localMs;
    return localMs + this.#offsetMs;
  }

  /** The measured difference, ms: the control plane's clock minus this machine's. */
  get offsetMs(): number {
    return this.#targetOffsetMs;
  }

  /** True once this process has measured the offset. */
  get isMeasured(): boolean {
    return this.#isMeasured;
  }

  /**
   * Adds the measurement of one round trip. An implausible one is ignored.
   * @returns true when the measurement was used
   */
  addSample({ sentLocalMs, serverMs, receivedLocalMs }: OffsetSample): boolean {
    const roundTripMs = receivedLocalMs - sentLocalMs;
    // Stamps are whole milliseconds, so an immediate answer may seem to come a moment before the question.
    if (!(roundTripMs >= -2 && roundTripMs <= ROUND_TRIP_MAX_MS) || !(serverMs > 0)) return false;
    const sample = {
      offsetMs: serverMs - (sentLocalMs + receivedLocalMs) / 2,
      roundTripMs: Math.max(0, roundTripMs),
    };
    if (this.#samples.some((other) => disagree(sample, other))) this.#samples = [];
    this.#samples.push(sample);
    if (this.#samples.length > SAMPLES_KEPT) this.#samples.shift();
    const best = this.#samples.reduce((a, b) => (b.roundTripMs < a.roundTripMs ? b : a));
    this.#aimAt(best.offsetMs);
    return true;
  }

  #aimAt(offsetMs: number): void {
    this.nowMs(); // brings #offsetMs up to this instant
    const errorMs = offsetMs - this.#offsetMs;
    const isSlewable = errorMs <= SLEW_FORWARD_MAX_MS && errorMs >= -SLEW_BACK_MAX_MS;
    this.#targetOffsetMs = offsetMs;
    if (!this.#isMeasured || !isSlewable) this.#offsetMs = offsetMs;
    this.#isMeasured = true;
  }
}

/** True when the samples can't both belong to one constant offset: each is wrong by at most half its round trip. */
function disagree(
  a: { offsetMs: number; roundTripMs: number },
  b: { offsetMs: number; roundTripMs: number },
): boolean {
  return Math.abs(a.offsetMs - b.offsetMs) > (a.roundTripMs + b.roundTripMs) / 2 + DISAGREEMENT_MS;
}
