/**
 * The errors that end an attempt without a complete response, and the decision whose doing they are. Decided by error codes,
 * never by matching text.
 */
import type { ErrorCategory, ResultStatus } from "@svc/contract";
import { EgressDenied } from "@svc/egress";
import type { RunFault } from "./outcome.ts";

/** The description of a failure that the target caused. */
export interface TargetFailureParts {
  status: Exclude<ResultStatus, "success">;
  category: ErrorCategory;
  message: string;
  /**
   * The target could not be reached at all, so that trying again may help (`retry.onlyOn: network_error`). Default:
   * false.
   */
  isNetworkError?: boolean;
}

/** A failure that the target caused. It becomes a result. */
export class TargetFailure extends Error {
  readonly status: TargetFailureParts["status"];
  readonly category: ErrorCategory;
  readonly isNetworkError: boolean;

  constructor(
    { status, category, message, isNetworkError = false }: TargetFailureParts,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "TargetFailure";
    this.status = status;
    this.category = category;
    this.isNetworkError = isNetworkError;
  }
}

/** A failure that this runner caused. It becomes a fault, never a result. */
export class RunnerFailure extends Error {
  readonly reason: RunFault["reason"];

  constructor(reason: RunFault["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RunnerFailure";
    this.reason = reason;
  }
}

/** Returns the fault for an error that no rule knows: a bug of this program, which must not count against the target. */
export function internalFault(error: unknown): RunnerFailure {
  const message = error instanceof Error ? error.stack : String(error);
  return new RunnerFailure("crash", `internal error: ${message}`, { cause: error });
}

/** Error codes of resources that this machine ran out of or lost. No target can cause them. */
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

/**
 * Returns the fault that the error codes of all connection attempts mean together.
 * @returns undefined when at least one of them is the target's doing
 */
export function runnerFaultOf(codes: readonly (string | undefined)[]): RunFault["reason"] | undefined {
  const reasons = codes.map((code) => (code === undefined ? undefined : RUNNER_FAULT_CODES[code]));
  return reasons.length > 0 && reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

/** Returns the code of a system or Node error; undefined when the error has none. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/**
 * Rethrows an error that is a failure already; returns for any other.
 * @throws TargetFailure of category `connect` for an address that the egress policy denies
 */
export function rethrowFailure(error: unknown): void {
  if (error instanceof TargetFailure || error instanceof RunnerFailure) throw error;
  if (error instanceof EgressDenied)
    throw new TargetFailure(
      { status: "error", category: "connect", message: error.message },
      { cause: error },
    );
}
