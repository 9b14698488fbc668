/**
 * Defines the two ways in which a run of a check can end: with a result, which says something about the target, or with
 * a fault of this runner.
 */
import type { ResultDetail, ResultStatus, RunFaultReason } from "@svc/contract";

/** Durations of a request's phases, whole microseconds. A phase that did not happen is absent, never 0. */
export interface PhaseTimes {
  dnsLookupUs?: number;
  tcpConnectUs?: number;
  tlsHandshakeUs?: number;
  ttfbUs?: number;
  contentTransferUs?: number;
}

/** The measured and judged result of one run. */
export interface RunResult {
  kind: "result";
  status: ResultStatus;
  httpStatusCode?: number;
  /** Start of the run, Unix ms of the corrected clock. */
  startedAtMs: number;
  /** Total time of the (last) attempt's request, whole microseconds. */
  responseTimeUs: number;
  /** Time from the start of the run to its end, retries and extra requests included, whole microseconds. */
  elapsedUs: number;
  phases: PhaseTimes;
  /** W3C trace id sent with the request, 32 hex digits. */
  traceId?: string;
  /** Present on every result that is not a success, and on a success that has something to add. */
  detail?: ResultDetail;
  /** Result facts by kind, such as `tls` with TlsFacts. The agent forwards a fact only when it differs from the last one. */
  facts?: Record<string, unknown>;
}

/** The reason why a slot could not be run by this runner. The target has no part in it, so no result is stored. */
export interface RunFault {
  kind: "fault";
  reason: RunFaultReason;
  message: string;
}

/** The end of one run: a result, or a fault that gives the slot back. */
export type ProbeOutcome = RunResult | RunFault;
