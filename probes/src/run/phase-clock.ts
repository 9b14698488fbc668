/** Measures the phases of a request on the monotonic clock. Phases of redirected requests add up, so that their sum is the
 *  whole time; a phase that never began is absent. */
import type { PhaseTimes } from "./probe.ts";

export type Phase = "dns" | "tcp" | "tls" | "ttfb" | "transfer";

const PHASE_FIELDS: Record<Phase, keyof PhaseTimes> = {
  dns: "dnsLookupUs",
  tcp: "tcpConnectUs",
  tls: "tlsHandshakeUs",
  ttfb: "ttfbUs",
  transfer: "contentTransferUs",
};

/** Microseconds on the monotonic clock, with a fraction. */
export function monotonicUs(): number {
  return performance.now() * 1000;
}

export class PhaseClock {
  readonly startedUs = monotonicUs();
  /** The phase that runs now, or the last one that ran: what a timeout names. */
  phase: Phase | undefined;
  private phaseStartedUs = 0;
  private isRunning = false;
  private readonly totals: { [field in keyof PhaseTimes]: number } = {};

  /** Ends the phase that runs and begins another. */
  enter(phase: Phase): void {
    const nowUs = monotonicUs();
    this.close(nowUs);
    this.phase = phase;
    this.phaseStartedUs = nowUs;
    this.isRunning = true;
  }

  /** Ends the phase that runs. */
  leave(): void {
    this.close(monotonicUs());
  }

  /** From the start to now, whole microseconds. */
  elapsedUs(): number {
    return Math.round(monotonicUs() - this.startedUs);
  }

  /** The phases so far, whole microseconds. */
  times(): PhaseTimes {
    const times: PhaseTimes = {};
    for (const [field, us] of Object.entries(this.totals)) times[field as keyof PhaseTimes] = Math.round(us);
    return times;
  }

  private close(nowUs: number): void {
    if (!this.isRunning || this.phase === undefined) return;
    const field = PHASE_FIELDS[this.phase];
    this.totals[field] = (this.totals[field] ?? 0) + (nowUs - this.phaseStartedUs);
    this.isRunning = false;
  }
}
