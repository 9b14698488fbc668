/** What can end an attempt without a complete response, and whose doing it is: decided by codes, never by matching text. */
import type { ErrorCategory, ResultStatus } from "@svc/contract";
import { EgressDenied } from "@svc/egress";
import type { HttpResponse } from "../http/response.ts";
import type { RunFault } from "./probe.ts";

/** The target's doing: becomes a result. */
export class TargetFailure extends Error {
  readonly status: Exclude<ResultStatus, "success">;
  readonly category: ErrorCategory;
  /** The target could not be reached at all, so that trying again may help (`retry.onlyOn: network_error`). */
  readonly isNetworkError: boolean;
  /** What had been received when it went wrong. */
  readonly response: HttpResponse | undefined;

  constructor(
    failure: {
      status: Exclude<ResultStatus, "success">;
      category: ErrorCategory;
      message: string;
      isNetworkError?: boolean;
      response?: HttpResponse | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
    this.name = "TargetFailure";
    this.status = failure.status;
    this.category = failure.category;
    this.isNetworkError = failure.isNetworkError ?? false;
    this.response = failure.response;
  }
}

/** This runner's doing: never becomes a result. */
export class RunnerFailure extends Error {
  readonly reason: RunFault["reason"];

  constructor(reason: RunFault["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RunnerFailure";
    this.reason = reason;
  }
}

/** Codes of what this machine ran out of or lost; a target can't cause them. */
const RUNNER_FAULT_CODES: Readonly<Record<string, RunFault["reason"]>> = {
  EMFILE: "capacity",
  ENFILE: "capacity",
  ENOBUFS: "capacity",
  EAGAIN: "capacity",
  EADDRNOTAVAIL: "capacity", // no local port left
  EADDRINUSE: "capacity",
  ENOMEM: "out_of_memory",
  EAI_MEMORY: "out_of_memory",
  ENETDOWN: "network",
  ENETUNREACH: "network",
  EPERM: "network", // the runner's own packet filter
  EACCES: "network",
};

/** The fault that these error codes (of all connection attempts) mean, or undefined when at least one is the target's doing. */
export function runnerFaultOf(codes: readonly (string | undefined)[]): RunFault["reason"] | undefined {
  const reasons = codes.map((code) => (code === undefined ? undefined : RUNNER_FAULT_CODES[code]));
  return reasons.length > 0 && reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

/** The code of a system or node error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Rethrows what is a failure already; an egress denial is an error of category connect. */
export function passThrough(error: unknown): void {
  if (error instanceof TargetFailure || error instanceof RunnerFailure) throw error;
  if (error instanceof EgressDenied)
    throw new TargetFailure(
      { status: "error", category: "connect", message: error.message },
      { cause: error },
    );
}
