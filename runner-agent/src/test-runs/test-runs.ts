/**
 * Test runs of this agent: configurations that somebody tries before they are stored. They pass the same gate and the same
 * probes as slots; what they find goes back over the session at once, and never to the spool.
 */
import type { ArtifactSink, RunResult, TrafficLimits } from "@svc/probes";
import {
  type Dispatch,
  type GivenBackSlot,
  type SlotKey,
  slotId,
  type TestRunDispatch,
} from "../model/assignment.ts";
import { recordOf } from "../model/result-record.ts";
import type { TestRunReport } from "../model/test-run-report.ts";
import { PictureCollector } from "./picture-collector.ts";

interface OpenTestRun {
  id: string;
  limits: TrafficLimits | undefined;
  pictures: PictureCollector;
}

/** Keeps the open test runs, in memory. */
export class TestRuns {
  /** The open test runs, by the slot that the slot runner knows them by. */
  readonly #open = new Map<string, OpenTestRun>();
  readonly #onReport: (report: TestRunReport) => void;

  /** @param onReport called with each report */
  constructor(onReport: (report: TestRunReport) => void) {
    this.#onReport = onReport;
  }

  /** Notes a test run whose slot is about to run. */
  open({
    check: { checkKey },
    locationKey,
    slotMs,
    testRunId: id,
    limits,
  }: Dispatch & TestRunDispatch): void {
    this.#open.set(slotId({ checkKey, locationKey, slotMs }), {
      id,
      limits,
      pictures: new PictureCollector(),
    });
  }

  /** True when the slot is that of an open test run. */
  has(slot: SlotKey): boolean {
    // Asked at each run, and nearly always there is none.
    return this.#open.size > 0 && this.#open.has(slotId(slot));
  }

  /** Returns the limits of an open test run's traffic; undefined: there are none. */
  limitsOf(slot: SlotKey): TrafficLimits | undefined {
    return this.#open.get(slotId(slot))?.limits;
  }

  /** Returns the store of an open test run's pictures. */
  picturesOf(slot: SlotKey): ArtifactSink | undefined {
    return this.#open.get(slotId(slot))?.pictures;
  }

  /** Reports that the run has begun. */
  start(slot: SlotKey): void {
    this.#report(slot, { kind: "started" });
  }

  /** Reports what the run found, and ends it. */
  end(slot: SlotKey, result: RunResult): void {
    const { pictures, result: found } = this.#open.get(slotId(slot))?.pictures.claim(result) ?? {
      result,
      pictures: [],
    };
    this.#report(slot, { kind: "result", record: recordOf(slot, found, []), pictures });
    this.#open.delete(slotId(slot));
  }

  /** Reports that this agent could not run it, and ends it. */
  giveBack(slot: GivenBackSlot): void {
    this.#report(slot, { kind: "fault", reason: slot.reason });
    this.#open.delete(slotId(slot));
  }

  #report(slot: SlotKey, said: TestRunReport["said"]): void {
    const open = this.#open.get(slotId(slot));
    if (open === undefined) return;
    this.#onReport({ testRunId: open.id, locationKey: slot.locationKey, said });
  }
}
