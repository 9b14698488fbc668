/** The load that an agent reports to the control plane. */
import type { AgentLoad } from "../session/session-parts.ts";
import type { Admission } from "../slots/admission.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { Spool } from "../spool/spool.ts";

/** The parts of the agent that know its load. */
export interface LoadSources {
  slots: SlotRunner;
  spool: Spool;
  admission: Admission;
  isDraining: boolean;
}

/** Returns the load since the last call. Call it once per report: values measured over time begin anew. */
export function agentLoad({ slots, spool, admission, isDraining }: LoadSources): AgentLoad {
  const { results, bytes, dropped } = spool.stats();
  const report = admission.nextReport();
  return {
    ...report,
    accepting: report.accepting && !isDraining,
    activeRuns: slots.activeRuns,
    assignedChecks: slots.assignedChecks,
    backlogResults: results,
    spoolBytes: bytes,
    droppedResults: dropped,
    draining: isDraining,
  };
}
