/** The state that the steps of one attempt share: the way out, the clock, and the signal that ends them. */
import type { TlsFacts } from "@svc/contract";
import type { Egress, StopSignal } from "@svc/egress";
import type { BodyClaim } from "./body-budget.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { PhaseClock } from "./phase-clock.ts";

/** The scope of one attempt. */
export interface RunScope {
  egress: Egress;
  clock: PhaseClock;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** Aborts when the time limit passes or the agent stops. Its reason is a TargetFailure or a RunnerFailure. */
  signal: StopSignal;
  caCertificates: readonly string[];
  /** The check's own settings of its connections; undefined: it has none. */
  connection: ConnectionSettings | undefined;
  /** True when the body is read even if the run succeeds. */
  keepsBody: boolean;
  /** Counts the memory that bodies take; undefined: nobody does. */
  bodyClaim: BodyClaim | undefined;
  /** TLS facts of the attempt's first https connection, or of the one that could not be trusted. */
  tls: TlsFacts | undefined;
  /** The URL that is being requested now. */
  url: URL;
  /** The current step of an attempt with several requests, such as "tools/list". The message of a timeout names it. */
  step?: string;
  /** Present while the run is with somebody other than the target: says what is being done, for the message of a timeout. */
  doing?: string | undefined;
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
