import type { RunResult } from "@svc/probes";
import { expect, it, vi } from "vitest";
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
  const onReport = vi.fn();
  const testRuns = new TestRuns(onReport);
  expect(testRuns.has(SLOT)).toBe(false);
  testRuns.open(aDispatch());
  expect(testRuns.has(SLOT)).toBe(true);
  testRuns.start(SLOT);
  testRuns.end(SLOT, RESULT);
  expect(testRuns.has(SLOT)).toBe(false);
  expect(onReport).toHaveBeenCalledTimes(2);
  expect(testRuns.removeReports()).toMatchObject([
    { testRunId: "trun_1", locationKey: 3, said: { kind: "started" } },
    { said: { kind: "result", record: { startDelayMs: 2, responseTimeUs: 10, status: "success" } } },
  ]);
  expect(testRuns.removeReports()).toEqual([]);
});

it("says nothing of slots that are no test runs, and keeps the newest hundred reports without a connection", () => {
  const testRuns = new TestRuns(() => {});
  testRuns.start(SLOT);
  testRuns.giveBack({ ...SLOT, reason: "capacity" });
  expect(testRuns.removeReports()).toEqual([]);
  for (let slotMs = 0; slotMs < 150; slotMs++) {
    testRuns.open(aDispatch({ slotMs, testRunId: `trun_${slotMs}` }));
    testRuns.giveBack({ ...SLOT, slotMs, reason: "draining" });
  }
  const reports = testRuns.removeReports();
  expect([reports.length, reports[0]?.testRunId, reports.at(-1)?.said]).toEqual([
    100,
    "trun_50",
    { kind: "fault", reason: "draining" },
  ]);
});
