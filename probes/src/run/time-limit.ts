/** The end of an attempt: its time limit, or the agent's stop, whichever comes first. */
import type { Egress } from "@svc/egress";
import type { HttpRequest } from "../http/request.ts";
import type { RunContext } from "../http-attempt/attempt.ts";
import { EndSignal } from "./end-signal.ts";
import { RunnerFailure, TargetFailure } from "./failures.ts";
import { monotonicUs, type Phase, type PhaseClock } from "./phase-clock.ts";
import type { RunScope } from "./run-scope.ts";

const PHASE_WORDS: Record<Phase, string> = {
  dns: "looking up the host name",
  tcp: "connecting",
  tls: "in the TLS handshake",
  ttfb: "waiting for the response",
  transfer: "reading the response body",
};

/** A time limit that strikes later than this found the event loop blocked: the response may be waiting unread. */
const LATE_MS_MAX = 1_000;

/** Starts the time limit. `close` must be called on every path; calling it twice is harmless. */
export function openScope(
  plan: { request: Pick<HttpRequest, "url">; timeoutMs: number; keepsBody: boolean },
  clock: PhaseClock,
  egress: Egress,
  context: RunContext,
): { scope: RunScope; close: () => void } {
  const signal = new EndSignal();
  const scope: RunScope = {
    egress,
    clock,
    signal,
    caCertificates: context.caCertificates ?? [],
    keepsBody: plan.keepsBody,
    bodyClaim: context.bodyClaim,
    tls: undefined,
    url: plan.request.url,
  };
  const dueUs = monotonicUs() + plan.timeoutMs * 1000;
  const timer = setTimeout(() => {
    const lateMs = (monotonicUs() - dueUs) / 1000;
    signal.abort(lateMs > LATE_MS_MAX ? stalled(lateMs) : timedOut(scope, plan.timeoutMs));
  }, plan.timeoutMs);
  const stopListening = onAbort(context.signal, () =>
    signal.abort(new RunnerFailure("aborted", "the runner is stopping")),
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

function timedOut({ clock, url, step }: RunScope, timeoutMs: number): TargetFailure {
  const doing = `${clock.phase ? PHASE_WORDS[clock.phase] : "starting"}${step === undefined ? "" : ` (${step})`}`;
  return new TargetFailure({
    status: "timeout",
    category: "timeout",
    message: `no complete response from ${url.host} within ${timeoutMs} ms: the time ran out while ${doing}`,
    isNetworkError: true,
  });
}

/** Callbacks by signal: all runs of an agent share one signal, and a listener each would be slow and warned about. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  let callbacks = listeners.get(signal);
  if (!callbacks) {
    const all = new Set<() => void>();
    callbacks = all;
    listeners.set(signal, all);
    signal.addEventListener(
      "abort",
      () => {
        for (const call of all) call();
      },
      { once: true },
    );
  }
  callbacks.add(callback);
  const registered = callbacks;
  return () => registered.delete(callback);
}
