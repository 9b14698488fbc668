/** The renewal of a lease, as a heartbeat asks for it. */
import type { Heartbeat } from "@svc/proto/svc/runner/v1/runner_pb";
import type { LeaseRenewal } from "./store.ts";

/** The session whose lease is renewed, with what its agent said of itself at the begin. */
export interface RenewedSession {
  sessionId: string;
  /** How many runs and pages the agent can hold. */
  runLimits: { freshRuns: number; browserPages: number };
}

/** Returns the renewal by a heartbeat, with the statistics under the names that the REST API gives them. */
export function renewalFromHeartbeat(
  { sessionId, runLimits }: RenewedSession,
  heartbeat: Heartbeat,
): LeaseRenewal {
  return {
    sessionId,
    accepting: heartbeat.accepting,
    draining: heartbeat.draining,
    stats: {
      assignedChecks: heartbeat.assignedChecks,
      activeRuns: heartbeat.activeRuns,
      backlog: Number(heartbeat.backlogResults),
      spoolBytes: Number(heartbeat.spoolBytes),
      droppedResults: Number(heartbeat.droppedResults),
      latenessP99Ms: heartbeat.latenessP99Ms,
      loopBusyBasisPoints: heartbeat.loopBusyBasisPoints,
      ...runLimits,
    },
  };
}
