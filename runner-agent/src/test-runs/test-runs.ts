/**
 * Test runs of this agent: configurations that somebody tries before they are stored. They pass the same gate and the same
 * probes as slots; what they find goes back over the session at once, and never to the spool.
 */
import type { RunResult } from "@svc/probes";
import {
  type Dispatch,
  type GivenBackSlot,
  type SlotKey,
  slotId,
  type TestRunDispatch,
} from "../model/assignment.ts";
import { recordOf } from "../model/result-record.ts";
import type { TestRunReport } from "../model/test-run-report.ts";

/** Keeps the open test runs, in memory. */
export class TestRuns {
  /** Ids of the open test runs, by the slot that the slot runner knows them by. */
  readonly #ids = new Map<string, string>();
  readonly #onReport: (report: TestRunReport) => void;

  /** @param onReport called with each report */
  constructor(onReport: (report: TestRunReport) => void) {
    this.#onReport = onReport;
  }

  /** Notes a test run whose slot is about to run. */
  open({ check: { checkKey }, locationKey, slotMs, testRunId }: Dispatch & TestRunDispatch): void {
    this.#ids.set(slotId({ checkKey, locationKey, slotMs }), testRunId);
  }

  /** True when the slot is that of an open test run. */
  has(slot: SlotKey): boolean {
    return this.#ids.has(slotId(slot));
  }

  /** Reports that the run has begun. */
  start(slot: SlotKey): void {
    this.#report(slot, { kind: "started" });
  }

  /** Reports what the run found, and ends it. */
  end(slot: SlotKey, result: RunResult): void {
    this.#report(slot, { kind: "result", record: recordOf(slot, result, []) });
    this.#ids.delete(slotId(slot));
  }

  /** Reports that this agent could not run it, and ends it. */
  giveBack(slot: GivenBackSlot): void {
    this.#report(slot, { kind: "fault", reason: slot.reason });
    this.#ids.delete(slotId(slot));
  }

  #report(slot: SlotKey, said: TestRunReport["said"]): void {
    const testRunId = this.#ids.get(slotId(slot));
    if (testRunId === undefined) return;
    this.#onReport({ testRunId, locationKey: slot.locationKey, said });
  }
}
