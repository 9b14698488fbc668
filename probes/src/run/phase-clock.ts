/**
 * Measures the phases of a request on the monotonic clock. The phases of redirected requests add up, so that their sum
 * is the whole time. A phase that never began is absent.
 */
import { monotonicMs } from "../base/machine-clocks.ts";
import type { PhaseTimes } from "./outcome.ts";

/** A phase of a request: lookup, TCP, TLS, the wait for the first byte, and the transfer of the body. */
export type Phase = "dns" | "tcp" | "tls" | "ttfb" | "transfer";

const PHASE_FIELDS: Record<Phase, keyof PhaseTimes> = {
  dns: "dnsLookupUs",
  tcp: "tcpConnectUs",
  tls: "tlsHandshakeUs",
  ttfb: "ttfbUs",
  transfer: "contentTransferUs",
};

/** Returns the monotonic clock's time, microseconds with a fraction. */
export function monotonicUs(): number {
  return monotonicMs() * 1000;
}

/** The clock of one attempt. It starts when it is made. */
export class PhaseClock {
  readonly startedUs = monotonicUs();
  /** The phase that runs now, or the last one that ran. The message of a timeout names it. */
  phase: Phase | undefined;
  #phaseStartedUs = 0;
  #isRunning = false;
  readonly #totals: { [field in keyof PhaseTimes]: number } = {};

  /** Ends the phase that runs and begins another. @returns when, by monotonicUs */
  enter(phase: Phase): number {
    const nowUs = monotonicUs();
    this.#close(nowUs);
    this.phase = phase;
    this.#phaseStartedUs = nowUs;
    this.#isRunning = true;
    return nowUs;
  }

  /** Ends the phase that runs. @param atUs when it ended, by monotonicUs; default: now */
  leave(atUs = monotonicUs()): void {
    this.#close(atUs);
  }

  /** Returns the time since the start, whole microseconds. */
  elapsedUs(): number {
    return Math.round(monotonicUs() - this.startedUs);
  }

  /** Returns the durations of the phases that have ended, whole microseconds. */
  times(): PhaseTimes {
    const times: PhaseTimes = {};
    for (const field in this.#totals) {
      const us = this.#totals[field as keyof PhaseTimes];
      if (us !== undefined) times[field as keyof PhaseTimes] = Math.round(us);
    }
    return times;
  }

  #close(nowUs: number): void {
    if (!this.#isRunning || this.phase === undefined) return;
    const field = PHASE_FIELDS[this.phase];
    this.#totals[field] = (this.#totals[field] ?? 0) + (nowUs - this.#phaseStartedUs);
    this.#isRunning = false;
  }
}
