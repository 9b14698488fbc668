/** What the steps of one attempt share: the way out, the clock, and the signal that ends them. */
import type { TlsFacts } from "@svc/contract";
import type { Egress, StopSignal } from "@svc/egress";
import type { BodyClaim } from "./body-budget.ts";
import type { PhaseClock } from "./phase-clock.ts";

export interface RunScope {
  egress: Egress;
  clock: PhaseClock;
  /** Aborts when the time limit passes or the agent stops; its reason is a TargetFailure or a RunnerFailure. */
  signal: StopSignal;
  caCertificates: readonly string[];
  /** Whether something looks into the body also when all goes well. */
  keepsBody: boolean;
  /** Counts what is kept of bodies; undefined: nobody does. */
  bodyClaim: BodyClaim | undefined;
  /** Of the run's first https connection, or of the one that could not be trusted. */
  tls: TlsFacts | undefined;
  /** The URL being asked now. */
  url: URL;
  /** What a run of several requests is about, e.g. "tools/list": a timeout names it. */
  step?: string;
}

/** Settles as the promise does, or rejects with the signal's reason when that aborts first. */
export function untilAborted<T>(promise: Promise<T>, signal: StopSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
