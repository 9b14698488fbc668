import { beforeEach, expect, it, vi } from "vitest";
import type { ResultRecord } from "../model/result-record.ts";
import type { TestRunReport } from "../model/test-run-report.ts";
import { ReportQueue } from "./report-queue.ts";

let nowMs = 0;
let timers: { callback: () => void; atMs: number }[] = [];
const onReport = vi.fn();
let queue: ReportQueue;
beforeEach(() => {
  nowMs = 0;
  timers = [];
  onReport.mockClear();
  queue = new ReportQueue(
    () => nowMs,
    onReport,
    (callback, delayMs) => {
      const timer = { callback, atMs: nowMs + delayMs };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  );
});

/** Moves the clock, and fires the timers that are due. */
function advance(ms: number): void {
  nowMs += ms;
  const due = timers.filter(({ atMs }) => atMs <= nowMs);
  timers = timers.filter((timer) => !due.includes(timer));
  for (const { callback } of due) callback();
}

const fault = (n: number): TestRunReport => ({
  testRunId: `trun_${n}`,
  locationKey: 3,
  said: { kind: "fault", reason: "draining" },
});
const withDetail = (n: number, bytes: number): TestRunReport => ({
  ...fault(n),
  said: {
    kind: "result",
    record: { detailJson: "x".repeat(bytes / 2) } as ResultRecord,
    pictures: [{ step: "", jpeg: Buffer.alloc(bytes / 2) }],
  },
});
const due = () => queue.claimDue().map(({ testRunId, seq }) => [testRunId, seq]);

it("sends a report again until it is acknowledged, less and less often", () => {
  queue.sessionBegan({ isAcknowledged: true });
  queue.add(fault(1));
  queue.add(fault(2));
  expect(due()).toEqual([
    ["trun_1", 1],
    ["trun_2", 2],
  ]);
  expect(due()).toEqual([]);
  queue.acknowledge(1);
  queue.acknowledge(1);
  const sentAgainMs: number[] = [];
  for (let ms = 0; ms < 160_000; ms += 1_000) {
    advance(1_000);
    if (due().length > 0) sentAgainMs.push(nowMs);
  }
  expect(sentAgainMs).toEqual([5_000, 15_000, 35_000, 75_000, 135_000]);
  queue.acknowledge(2);
  expect([queue.isEmpty, timers]).toEqual([true, []]);
});

it("sends over a new connection what the one before left without an answer", () => {
  queue.sessionBegan({ isAcknowledged: true });
  queue.add(fault(1));
  expect(due()).toHaveLength(1);
  queue.sessionBegan({ isAcknowledged: true });
  expect(due()).toEqual([["trun_1", 1]]);
});

it("gives a report up once its test run has expired", () => {
  queue.sessionBegan({ isAcknowledged: true });
  queue.add(fault(1));
  advance(15 * 60_000);
  expect(due()).toEqual([]);
  expect([queue.isEmpty, timers]).toEqual([true, []]);
});

it("sends each report once, without a number, to a control plane that acknowledges none", () => {
  queue.sessionBegan({ isAcknowledged: false });
  queue.add(fault(1));
  expect(due()).toEqual([["trun_1", 0]]);
  expect(queue.isEmpty).toBe(true);
});

it("keeps the newest hundred, and sixteen mebibytes of them", () => {
  for (let n = 0; n < 150; n++) queue.add(fault(n));
  queue.sessionBegan({ isAcknowledged: true });
  expect(due().map(([id]) => id)).toEqual(Array.from({ length: 100 }, (_, n) => `trun_${n + 50}`));
  for (let n = 0; n < 5; n++) queue.add(withDetail(n, 6 * 1024 * 1024));
  expect(due().map(([id]) => id)).toEqual(["trun_3", "trun_4"]);
});

it("forgets that a test run has begun once there is its end", () => {
  queue.add({ ...fault(1), said: { kind: "started" } });
  queue.add({ ...fault(1), locationKey: 4, said: { kind: "started" } });
  queue.add(fault(1));
  queue.sessionBegan({ isAcknowledged: true });
  expect(queue.claimDue().map(({ locationKey, said }) => [locationKey, said.kind])).toEqual([
    [4, "started"],
    [3, "fault"],
  ]);
});
