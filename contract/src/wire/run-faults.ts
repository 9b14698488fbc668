/**
 * Reasons why a runner could not run a slot: its own fault, never the target's. One table for everybody who names them: the
 * probe that ends with a fault, the agent that gives the slot back, the wire, and the coverage that lists it as missing.
 */
import type { MissingReason } from "../resources/coverage.ts";

interface RunFaultKind {
  /** Number of the reason in `svc.runner.v1.FaultReason`. */
  wireNumber: number;
  /** Reason that coverage shows when no other runner could run the slot either. */
  missingReason: MissingReason;
}

/** The reasons by name. */
export const RUN_FAULTS = {
  /** The runner has no capacity to run the slot and time it honestly. */
  capacity: { wireNumber: 1, missingReason: "runner_capacity" },
  /** The process that ran the slot ended unexpectedly. */
  crash: { wireNumber: 2, missingReason: "runner_crash" },
  out_of_memory: { wireNumber: 3, missingReason: "runner_oom" },
  /** The runner's own network is unusable. */
  network: { wireNumber: 4, missingReason: "runner_network" },
  /** The runner is stopping. */
  draining: { wireNumber: 5, missingReason: "no_runner" },
  /** The runner does not know the check's type or configuration. */
  unsupported: { wireNumber: 6, missingReason: "no_capable_runner" },
  /** The check's run before it was still open when the slot fell due. */
  previous_run: { wireNumber: 7, missingReason: "previous_run" },
} as const satisfies Record<string, RunFaultKind>;

/** Name of a reason why a runner could not run a slot. */
export type RunFaultReason = keyof typeof RUN_FAULTS;

/**
 * Returns the reason that coverage shows for a slot given back with this number; `unknown` for a number not in the
 * table.
 */
export function missingReasonOfFault(wireNumber: number): MissingReason {
  const fault = Object.values(RUN_FAULTS).find((candidate) => candidate.wireNumber === wireNumber);
  return fault?.missingReason ?? "unknown";
}
