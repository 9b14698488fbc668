/** Opens the scope of an attempt, which ends with its time limit or when the agent stops, whichever comes first. */
import type { ConnectionSettings } from "./connection-settings.ts";
import { egressOf } from "./egress-of.ts";
import { EndSignal } from "./end-signal.ts";
import { RunnerFailure, TargetFailure } from "./failures.ts";
import { monotonicUs, type Phase, PhaseClock } from "./phase-clock.ts";
import type { RunContext } from "./probe.ts";
import type { RunScope } from "./run-scope.ts";

/** The limits of an attempt. */
export interface ScopeOptions {
  /** The first URL that is requested. */
  url: URL;
  timeoutMs: number;
  /** True when the body is read even if the run succeeds. */
  keepsBody: boolean;
  /** Absent: the check has no settings of its own. */
  connection?: ConnectionSettings | undefined;
}

const PHASE_WORDS: Record<Phase, string> = {
  dns: "looking up the host name",
  tcp: "connecting",
  tls: "in the TLS handshake",
  ttfb: "waiting for the response",
  transfer: "reading the response body",
};

/** A timer that fires later than this shows that the event loop was blocked: the response may be waiting unread. */
const LATE_MS_MAX = 1_000;

/**
 * Starts the clock and the time limit of an attempt.
 * @returns `close` must be called on every path; calling it twice is harmless
 */
export function openScope(
  { url, timeoutMs, keepsBody, connection }: ScopeOptions,
  context: RunContext,
): { scope: RunScope; close: () => void } {
  const signal = new EndSignal();
  const scope: RunScope = {
    egress: egressOf(context),
    clock: new PhaseClock(),
    nowMs: context.nowMs,
    signal,
    caCertificates: context.caCertificates ?? [],
    connection,
    keepsBody,
    bodyClaim: context.bodyClaim,
    tls: undefined,
    url,
  };
  const dueUs = monotonicUs() + timeoutMs * 1000;
  const timer = setTimeout(() => {
    const lateMs = (monotonicUs() - dueUs) / 1000;
    signal.abort(lateMs > LATE_MS_MAX ? stalled(lateMs) : timedOut(scope, timeoutMs));
  }, timeoutMs);
  const stopListening = onAbort(context.signal, () =>
    signal.abort(new RunnerFailure("draining", "the runner is stopping")),
  );
  return {
    scope,
    close() {
      clearTimeout(timer);
      stopListening();
    },
  };
}

function stalled(lateMs: number): RunnerFailure {
  return new RunnerFailure("capacity", `the runner's event loop stood still for ${Math.round(lateMs)} ms`);
}

function timedOut({ clock, url, step, doing: own }: RunScope, timeoutMs: number): TargetFailure {
  const doing = `${own ?? (clock.phase ? PHASE_WORDS[clock.phase] : "starting")}${step === undefined ? "" : ` (${step})`}`;
  return new TargetFailure({
    status: "timeout",
    category: "timeout",
    message: `no complete response from ${url.host} within ${timeoutMs} ms: the time ran out while ${doing}`,
    isNetworkError: true,
  });
}

/**
 * Callbacks by signal. All runs of an agent share one signal; a listener for each run would be slow, and Node warns of
 * it.
 */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const callbacks = listeners.get(signal) ?? listenOnce(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function listenOnce(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  listeners.set(signal, callbacks);
  signal.addEventListener(
    "abort",
    () => {
      for (const call of callbacks) call();
    },
    { once: true },
  );
  return callbacks;
}
