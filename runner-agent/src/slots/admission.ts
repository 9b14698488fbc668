/** Watches how exactly this agent can time its runs, and decides how much more it takes on. */
import { createHistogram } from "node:perf_hooks";
import { isAccepting, LoopMeter, nextInFlightLimit } from "./loop-load.ts";

/** The timing of an agent's runs as the control plane hears of it. */
export interface AdmissionReport {
  /** Since the last report. */
  latenessP99Ms: number;
  loopBusyBasisPoints: number;
  accepting: boolean;
}

/** Measures the lateness and the load of this agent, from which its limits follow. */
export class Admission {
  readonly #maxInFlight: number;
  readonly #sampled: LoopMeter;
  readonly #reported: LoopMeter;
  readonly #lateness = createHistogram();
  #isAccepting = true;
  #lastBusyShare = 0;

  /** @param readLoop total busy and idle time of the event loop, in ms since any fixed instant */
  constructor(maxInFlight: number, readLoop: () => { active: number; idle: number }) {
    this.#maxInFlight = maxInFlight;
    this.#sampled = new LoopMeter(readLoop);
    this.#reported = new LoopMeter(readLoop);
  }

  /** Busy share of the loop at the last sample, 0 to 1. */
  get busyShare(): number {
    return this.#lastBusyShare;
  }

  /** Records how late a run began. */
  recordLateness(latenessMs: number): void {
    this.#lateness.record(Math.max(1, Math.round(latenessMs)));
  }

  /**
   * Measures the loop since the last sample.
   * @returns how many runs may begin at a time from now on
   */
  sampleInFlightLimit(current: number): number {
    this.#lastBusyShare = this.#sampled.nextBusyShare();
    return nextInFlightLimit(current, this.#lastBusyShare, this.#maxInFlight);
  }

  /** Returns the load since the last report, and begins the next one. */
  nextReport(): AdmissionReport {
    const busyShare = this.#reported.nextBusyShare();
    const latenessP99Ms = this.#lateness.count === 0 ? 0 : this.#lateness.percentile(99);
    this.#lateness.reset();
    this.#isAccepting = isAccepting({ wasAccepting: this.#isAccepting, busyShare, latenessP99Ms });
    return {
      latenessP99Ms,
      loopBusyBasisPoints: Math.round(busyShare * 10_000),
      accepting: this.#isAccepting,
    };
  }
}
