import { expect, it } from "vitest";
import type { Series } from "../api/queries/history.ts";
import { linesOf, stacked, summaryOf } from "./lines.ts";

const phase = [1, null];
const one = {
  locationId: "loc_a",
  success: [3, 0],
  failure: [1, 0],
  error: [0, 0],
  timeout: [1, 0],
  avgMs: [10, null],
  minMs: [1, null],
  maxMs: [30, null],
  p50Ms: [null, null],
  p95Ms: [20, null],
  p99Ms: [25, null],
  phasesMs: {
    dnsLookupMs: phase,
    tcpConnectMs: phase,
    tlsHandshakeMs: phase,
    ttfbMs: phase,
    contentTransferMs: phase,
  },
};
const series = {
  checkId: "chk_a",
  from: "1970-01-01T00:00:00.000Z",
  to: "1970-01-01T00:02:00.000Z",
  bucketMs: 60_000,
  source: "rollups",
  series: [one],
} as unknown as Series;

it("a location has its medians, else its means, and gaps stay gaps", () => {
  expect(linesOf(series, "location", (id) => `at ${id}`)).toEqual([{ name: "at loc_a", values: [10, null] }]);
});

it("phases stand on one another", () => {
  const values = stacked(linesOf(series, "phases", String)).map((line) => line.values);
  expect(values).toEqual([
    [1, null],
    [2, null],
    [3, null],
    [4, null],
    [5, null],
  ]);
});

it("the summary counts, and names the highest with its instant", () => {
  expect(
    summaryOf(
      series,
      (ms) => `${ms} ms`,
      (ms) => `+${ms}`,
    ),
  ).toBe("5 results, 2 not successful; highest 30 ms at +0");
  const none = { ...series, series: [] };
  expect(summaryOf(none, String, String)).toBe("No result in this range.");
});
