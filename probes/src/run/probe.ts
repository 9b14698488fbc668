/**
 * The types that every probe is written against: its request, its context and its interface. A probe never throws for
 * anything the target does: that becomes a result. A problem of the runner becomes a fault and never a result.
 */
import type { AssertionResult, CheckType, LocationId, ResultStatus, Retry } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { ApiSpecHandle } from "@svc/openapi";
import type { ArtifactSink } from "./artifacts.ts";
import type { BodyBudget, BodyClaim } from "./body-budget.ts";
import type { ProbeOutcome } from "./outcome.ts";
import type { TrafficLimits } from "./traffic-limits.ts";

/** One run of a check at one location. */
export interface ProbeRequest {
  checkId: string;
  /** The check's type: a member of the probe registry. */
  type: string;
  /** The check's configuration, valid by the contract's schema of the type, with defaults filled in. */
  config: unknown;
  retry: Retry | null;
  /** The slot, Unix ms. Sampling (1 in N runs) is decided from it, so that every runner decides alike. */
  slotMs: number;
  frequencySeconds: number;
  /** True when also a success reports the results of its assertions, which every other result does. */
  keepsAssertions?: boolean;
  /** True when also a success reports the response of an HTTP request: its headers and the beginning of its body. */
  keepsResponse?: boolean;
  /**
   * Limits of where a script's requests may go, for a script that nobody has read. Its result has the outline of the page
   * that it ended on. Only a scripted browser check can have them; with another the run is a fault.
   */
  trafficLimits?: TrafficLimits;
}

/** The source of the API specs that a check's assertions name. */
export interface OpenApiSpecSource {
  /**
   * Returns the compiled document, or undefined when no such spec exists. Rejects when that can't be found out; the run is
   * then a fault.
   */
  get(specId: string): Promise<ApiSpecHandle | undefined>;
}

/** A program outside this package's reach that carries out the checks of one type, such as a browser. */
export interface ProbeHost {
  /** Carries out one run. Never rejects: its own problems are faults. */
  run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome>;
}

/** Hosts by the check type that they carry out. */
export type ProbeHosts = Readonly<Partial<Record<string, ProbeHost>>>;

/** Everything that a probe needs from the program it runs in. */
export interface ProbeContext {
  /** Aborts when the run must end at once because the agent stops. The outcome is then a fault. */
  signal: AbortSignal;
  /** True when private, loopback and link-local addresses may be reached. Cloud metadata services never are. */
  allowPrivateAddresses: boolean;
  /** Unix ms of the corrected clock, for `startedAtMs`. Durations are measured on the monotonic clock. */
  nowMs: () => number;
  /** Sent as User-Agent unless the check sets its own. */
  userAgent: string;
  /** Replaces the way out that `allowPrivateAddresses` would give, to use another resolver or dialler. */
  egress?: Egress;
  /** PEM certificates trusted beside the built-in ones and those of NODE_EXTRA_CA_CERTS. */
  caCertificates?: readonly string[];
  /**
   * Names the team whose check runs where several teams have some: the threads and the memory that all runs share are divided
   * among them. Absent: there is one team only.
   */
  team?: string | undefined;
  /**
   * Location that the run's result is stored for, from which its trace id follows. Absent: the result is not stored as that of the
   * slot, as with a test run, and its trace id is random.
   */
  locationId?: LocationId | undefined;
  /** API specs for openapi_conformance. Without it a check that uses the assertion ends in a fault. */
  openApiSpecs?: OpenApiSpecSource;
  /** Memory for response bodies, shared by all runs of the process. Default: a budget of 256 MiB. */
  bodyBudget?: BodyBudget;
  /** Hosts for the check types that need one. Without its host a check of such a type ends in a fault. */
  hosts?: ProbeHosts | undefined;
  /** Takes the pictures and videos of runs. Without it none are kept. */
  artifacts?: ArtifactSink | undefined;
  /**
   * Unix ms of the corrected clock, after which a host begins no first attempt any more: a program that is not ready by then
   * makes the run a fault. Absent: only the host's own limit holds.
   */
  beginByMs?: number;
  /** Waits between retries; rejects when the signal aborts. Default: a timer that the signal ends early. */
  sleep?: (durationMs: number, signal: AbortSignal) => Promise<void>;
}

/** A probe's context together with the share of the body budget that its run holds. */
export interface RunContext extends ProbeContext {
  bodyClaim?: BodyClaim;
}

/** The context of a single attempt that a person makes on a machine of their own. */
export interface OnceContext extends ProbeContext {
  /** True for a text with a secret in it: headers with one are not sent to another origin than the check's. */
  hasSecret?: (text: string) => boolean;
}

/** The result of a single attempt. */
export interface Once {
  status: ResultStatus;
  /** Absent when no HTTP response came. */
  httpStatusCode?: number;
  /** Absent when no answer came. */
  responseTimeUs?: number;
  /** Results in the order of the check's assertions; present on a success, too. */
  assertions: AssertionResult[];
  errorMessage?: string;
}

/** The code that carries out checks of one type: a member of the probe registry. */
export interface Probe {
  readonly type: CheckType;
  /** The probe only passes runs on to the host of its type, which not every runner has. */
  readonly needsHost: boolean;
  run(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome>;
  /** Returns why this machine can't carry out checks of the type; undefined when it can. Absent: every machine can. */
  tryOut?(): Promise<string | undefined>;
  /** Makes one attempt, without retries and extras. Absent: a run without retries is one. Takes a valid configuration. */
  once?(config: unknown, context: OnceContext): Promise<Once>;
}
