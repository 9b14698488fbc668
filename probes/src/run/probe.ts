/**
 * What a probe is: the code that carries out a check of one type. A probe never throws for what the target does; it
 * answers with an outcome. What is the runner's own fault is an outcome too, and never a result.
 */
import type { ResultDetail, ResultStatus, Retry } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { ApiSpecHandle } from "@svc/openapi";
import type { ArtifactSink, BrowserHost } from "./artifacts.ts";
import type { BodyRoom } from "./body-budget.ts";

/** One run of a check at one location. */
export interface ProbeRequest {
  checkId: string;
  /** The check's type: a member of the probe registry. */
  type: string;
  /** The check's configuration, valid by the contract's schema of the type (defaults filled in). */
  config: unknown;
  retry: Retry | null;
  /** The slot, Unix ms: what sampling (1 in N runs) is decided by, so that every runner decides alike. */
  slotMs: number;
  frequencySeconds: number;
}

/** Where a probe gets the API specs that a check's assertions name. */
export interface OpenApiSpecSource {
  /** The compiled document; undefined when no such spec exists. Rejects when it can't be told (the run is then a fault). */
  get(specId: string): Promise<ApiSpecHandle | undefined>;
}

/** What the probe needs from where it runs. */
export interface ProbeContext {
  /** Aborted when the run shall end at once (shutdown): the outcome is then a fault. */
  signal: AbortSignal;
  /** Whether private, loopback and link-local addresses may be reached. Cloud metadata never is. */
  allowPrivateAddresses: boolean;
  /** Unix ms of the corrected clock, for startedAt. Durations are measured on the monotonic clock. */
  nowMs: () => number;
  /** Sent as the User-Agent unless the check sets its own. */
  userAgent: string;
  /** The way out, when it is to differ from the one that `allowPrivateAddresses` makes (other resolver, other dialler). */
  egress?: Egress;
  /** PEM certificates trusted beside the built-in ones and those of NODE_EXTRA_CA_CERTS. */
  caCertificates?: readonly string[];
  /** API specs for openapi_conformance; without it such a check can't be judged here and its run is a fault. */
  openApiSpecs?: OpenApiSpecSource;
  /** Memory for response bodies, shared by all runs of the process. Default: a room of 256 MiB. */
  bodyRoom?: BodyRoom;
  /** Where browser checks run; without it their runs are faults. */
  browser?: BrowserHost | undefined;
  /** Takes pictures and videos of browser runs; without it there are none. */
  artifacts?: ArtifactSink | undefined;
  /** Waits between retries. Default: a timer that the signal ends early. Rejects when the signal aborts. */
  sleep?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** Phases in whole microseconds; a phase that did not happen is absent. */
export interface PhaseTimes {
  dnsLookupUs?: number;
  tcpConnectUs?: number;
  tlsHandshakeUs?: number;
  ttfbUs?: number;
  contentTransferUs?: number;
}

/** What one run measured, judged. */
export interface RunResult {
  kind: "result";
  status: ResultStatus;
  httpStatusCode?: number;
  /** Start of the run, Unix ms of the corrected clock. */
  startedAtMs: number;
  /** Total time of the (last) attempt's request, whole microseconds. */
  responseTimeUs: number;
  /** From the start of the run to its end, retries and extra requests included, whole microseconds. */
  elapsedUs: number;
  phases: PhaseTimes;
  /** W3C trace id sent with the request, 32 hex digits. */
  traceId?: string;
  /** Present on every non-success, and on a success that has something to add. */
  detail?: ResultDetail;
  /** What was observed beside the result, by kind (e.g. "tls": TlsFacts); the agent forwards a fact when it changes. */
  facts?: Record<string, unknown>;
}

/** The slot was not run because of this runner, not because of the target. */
export interface RunFault {
  kind: "fault";
  reason: "capacity" | "crash" | "out_of_memory" | "network" | "aborted" | "unsupported";
  message: string;
}

export type ProbeOutcome = RunResult | RunFault;

/** A member of the probe registry. */
export interface Probe {
  type: string;
  run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome>;
}
