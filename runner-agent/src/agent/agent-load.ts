/** What an agent tells the control plane of how busy it is. */
import type { AgentLoad } from "../session/session-parts.ts";
import type { Admission } from "../slots/admission.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { Spool } from "../spool/spool.ts";

/** Begins a new span for what is measured over time: call it once per report. */
export function agentLoad(
  slots: SlotRunner,
  spool: Spool,
  admission: Admission,
  isDraining: boolean,
): AgentLoad {
  const { results, bytes, dropped } = spool.stats();
  const report = admission.takeReport();
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
