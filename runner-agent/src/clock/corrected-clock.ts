/**
 * The corrected clock: the control plane's time as this machine knows it. Runs on the monotonic clock, so that a jump of
 * the machine's own clock in mid-run changes nothing; its offset is measured on the stream as in NTP (server time against
 * the midpoint of the round trip), the sample with the shortest round trip counting most. Small errors are slewed, so that
 * the clock does not go back; only a first measurement, and an error too large to slew, move it at once.
 */
import { MINUTE_MS } from "@svc/contract";

/** What the clock reads; injected so that tests own time. */
export interface TimeSource {
  /** Never goes back; any origin; ms. */
  monotonicMs: () => number;
  /** The machine's clock, Unix ms. */
  wallMs: () => number;
}

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
/** Share of the speed that slewing takes or adds. */
const SLEW_RATE = 0.2;
/** An error ahead of us up to this is slewed; above, we jump forward: late slots are then run at once. */
const SLEW_FORWARD_MAX_MS = 250;
/** An error behind us up to this is slewed; above, slewing would take longer than it is worth. */
const SLEW_BACK_MAX_MS = MINUTE_MS;
/** Jitter allowed beyond the samples' own error bounds before we conclude that a clock moved (suspend, another replica). */
const DISAGREEMENT_MS = 50;

export class CorrectedClock {
  readonly #time: TimeSource;
  readonly #wallMinusMonotonicMs: number;
  #samples: { offsetMs: number; roundTripMs: number }[] = [];
  #isMeasured = false;
  #targetOffsetMs: number;
  #offsetMs: number;
  #slewedUntilLocalMs: number;

  /** @param initialOffsetMs offset last measured by an earlier process, used until this one has measured its own */
  constructor(time: TimeSource, initialOffsetMs = 0) {
    this.#time = time;
    this.#wallMinusMonotonicMs = time.wallMs() - time.monotonicMs();
    this.#targetOffsetMs = initialOffsetMs;
    this.#offsetMs = initialOffsetMs;
    this.#slewedUntilLocalMs = this.localMs();
  }

  /** The agent's own clock: the machine's time at the start, carried on by the monotonic clock. Unix ms. */
  localMs(): number {
    return this.#time.monotonicMs() + this.#wallMinusMonotonicMs;
  }

  /** The corrected time, Unix ms with fractions. */
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

  /** Measured difference: control plane's clock minus this machine's, ms. */
  get offsetMs(): number {
    return this.#targetOffsetMs;
  }

  /** Whether this process has measured the offset yet. */
  get isMeasured(): boolean {
    return this.#isMeasured;
  }

  /** Takes in one round trip. An implausible one is ignored. @returns whether it was used */
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
    this.nowMs(); // settles what was slewed so far
    const errorMs = offsetMs - this.#offsetMs;
    const isSlewable = errorMs <= SLEW_FORWARD_MAX_MS && errorMs >= -SLEW_BACK_MAX_MS;
    this.#targetOffsetMs = offsetMs;
    if (!this.#isMeasured || !isSlewable) this.#offsetMs = offsetMs;
    this.#isMeasured = true;
  }
}

/** Whether two samples can't both be right about one constant offset: each is wrong by at most half its round trip. */
function disagree(
  a: { offsetMs: number; roundTripMs: number },
  b: { offsetMs: number; roundTripMs: number },
): boolean {
  return Math.abs(a.offsetMs - b.offsetMs) > (a.roundTripMs + b.roundTripMs) / 2 + DISAGREEMENT_MS;
}
