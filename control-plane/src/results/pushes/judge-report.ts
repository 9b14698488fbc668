/** Judges reports of jobs, and reports that did not come. Pure; all instants are Unix ms. */
import { type Expected, expectationOf, expectedAfter } from "../../checks/pushes/expected.ts";
import type { PushOutcome } from "./outcome.ts";
import type { PushedCheckRow } from "./store.ts";

/** A report: a run begins, or it has ended with this exit code. */
export type Report = { kind: "start" } | { kind: "end"; exitCode: number };

/** The next expectation of a check, and the outcome that is stored together with it. */
export interface Judgement {
  patch: Partial<Expected & Pick<PushedCheckRow, "runStartedMs" | "newestSlotMs">>;
  outcome?: PushOutcome;
}

/**
 * Judges a report. A result's slot is the instant of its report, or right after the newest slot where the clocks of two replicas
 * differ: no two results of a check share one.
 * @returns undefined for a check that is disabled or paused: like a run, a report then counts for nothing
 */
export function judgeReport(row: PushedCheckRow, report: Report, nowMs: number): Judgement | undefined {
  if (!row.isActive) return undefined;
  if (report.kind === "start") return { patch: { runStartedMs: nowMs } };
  const slotMs = Math.max(nowMs, row.newestSlotMs + 1);
  const { exitCode } = report;
  const durationMs = row.runStartedMs === null ? undefined : Math.max(0, nowMs - row.runStartedMs);
  return {
    patch: { ...expectedAfter(expectationOf(row), slotMs), runStartedMs: null, newestSlotMs: slotMs },
    outcome: {
      checkKey: row.checkKey,
      slotMs,
      status: exitCode === 0 ? "success" : "failure",
      durationMs: durationMs ?? 0,
      detail: {
        ...(exitCode !== 0 && {
          errorCategory: "heartbeat",
          errorMessage: `the job reported the exit code ${exitCode}`,
        }),
        heartbeatJson: { kind: "report", exitCode, ...(durationMs !== undefined && { durationMs }) },
      },
    },
  };
}

/** Circumstances by which an overdue report is judged, besides its check. */
interface OverdueContext {
  nowMs: number;
  /** End of the last outage of the service in the time in which the report was to come; undefined: there was none. */
  outageEndMs: number | undefined;
  /** Results before this instant are no longer kept. */
  retainedFromMs: number;
}

/**
 * True when the report was expected anew after an outage already: the next one then only prolongs the grace, or a job that is dead
 * would never be found where the service restarts again and again.
 */
function isExpectedAnew({ countedFromMs, newestSlotMs, scheduledFromMs }: PushedCheckRow): boolean {
  return countedFromMs > Math.max(newestSlotMs, scheduledFromMs);
}

/**
 * Judges a check whose report is overdue. It is a failure at the instant at which the report was expected, unless the check was
 * disabled or paused, or the service was away when the report may have come: then reports are expected anew, once for each that is missed. With a grace that is
 * longer than results are kept, it is a failure at the end of the grace.
 */
export function judgeOverdue(
  row: PushedCheckRow,
  { nowMs, outageEndMs, retainedFromMs }: OverdueContext,
): Judgement {
  const expectation = expectationOf(row);
  if (!row.isActive) return { patch: { ...expectedAfter(expectation, nowMs), runStartedMs: null } };
  const restartMs = Math.max(row.scheduledFromMs, outageEndMs ?? 0);
  if (restartMs > row.countedFromMs) {
    if (!isExpectedAnew(row)) return { patch: expectedAfter(expectation, restartMs) };
    const overdueMs = Math.max(row.overdueMs, restartMs + expectation.graceSeconds * 1000);
    if (overdueMs > nowMs) return { patch: { overdueMs } };
  }
  const { checkKey, expectedMs } = row;
  const expectedAt = new Date(expectedMs).toISOString();
  const slotMs = expectedMs < retainedFromMs ? Math.max(row.overdueMs, retainedFromMs) : expectedMs;
  return {
    patch: {
      ...expectedAfter(expectation, expectedMs),
      newestSlotMs: Math.max(row.newestSlotMs, slotMs),
    },
    outcome: {
      checkKey,
      slotMs,
      status: "failure",
      durationMs: 0,
      detail: {
        errorCategory: "heartbeat",
        errorMessage: `no report came: one was expected at ${expectedAt}, with ${expectation.graceSeconds} s of grace`,
        heartbeatJson: { kind: "overdue", expectedAt },
      },
    },
  };
}
