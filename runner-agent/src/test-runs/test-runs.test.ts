import type { RunResult } from "@svc/probes";
import { expect, it, vi } from "vitest";
import type { TestRunReport } from "../model/test-run-report.ts";
import { TestRuns } from "./test-runs.ts";

const SLOT = { checkKey: 2 ** 50 + 1, locationKey: 3, slotMs: 1000 };
const RESULT: RunResult = {
  kind: "result",
  status: "success",
  startedAtMs: 1002,
  responseTimeUs: 10,
  elapsedUs: 12,
  phases: {},
};
const aDispatch = (more: object = {}) => ({
  check: {
    checkKey: SLOT.checkKey,
    checkId: "trun_1",
    name: "test run",
    type: "http",
    configJson: "{}",
    frequencySeconds: 300,
    phaseMs: 0,
    revision: 1,
    retryJson: "",
  },
  locationKey: SLOT.locationKey,
  slotMs: SLOT.slotMs,
  testRunId: "trun_1",
  ...more,
});

it("reports how a test run goes, once each, and forgets it at its end", () => {
  const reports: TestRunReport[] = [];
  const testRuns = new TestRuns((report) => reports.push(report));
  expect(testRuns.has(SLOT)).toBe(false);
  testRuns.open(aDispatch());
  expect(testRuns.has(SLOT)).toBe(true);
  testRuns.start(SLOT);
  testRuns.end(SLOT, RESULT);
  expect(testRuns.has(SLOT)).toBe(false);
  expect(reports).toMatchObject([
    { testRunId: "trun_1", locationKey: 3, said: { kind: "started" } },
    { said: { kind: "result", record: { startDelayMs: 2, responseTimeUs: 10, status: "success" } } },
  ]);
});

it("says nothing of slots that are no test runs", () => {
  const onReport = vi.fn();
  const testRuns = new TestRuns(onReport);
  testRuns.start(SLOT);
  testRuns.giveBack({ ...SLOT, reason: "capacity" });
  expect(onReport).not.toHaveBeenCalled();
});
