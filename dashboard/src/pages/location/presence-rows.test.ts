import { expect, it } from "vitest";
import { presenceRows, summarize } from "./presence-rows.ts";

const MINUTE_MS = 60_000;
const fromMs = Date.parse("2026-11-16T12:00:00Z");
const at = (minutes: number) => new Date(fromMs + minutes * MINUTE_MS).toISOString();

/** Returns a presence of 1,000 minutes. */
function presence(times: readonly [runnerId: string, fromMinute: number, untilMinute: number][]) {
  return {
    locationId: "loc_1",
    from: at(0),
    to: at(1_000),
    presences: times.map(([runnerId, from, until]) => ({
      runnerId,
      hostname: `host of ${runnerId}`,
      from: at(from),
      until: at(until),
    })),
    isComplete: true,
  };
}

it("a runner that came back within a minute was there all the time, and the one that was there last comes first", () => {
  const rows = presenceRows(
    presence([
      ["a", 0, 10],
      ["b", 5, 500],
      ["a", 10.5, 20],
      ["a", 40, 50],
    ]),
  );
  expect(rows.map(({ runnerId, spans }) => [runnerId, spans.length])).toEqual([
    ["b", 1],
    ["a", 2],
  ]);
});

it.each([
  ["one runner all the time", [["a", 0, 1_000]], 1, 0],
  [
    "two that relieve each other",
    [
      ["a", 0, 500],
      ["b", 400, 1_000],
    ],
    1,
    0,
  ],
  ["one that came late: the time before does not count", [["a", 500, 1_000]], 1, 0],
  ["one that left", [["a", 0, 900]], 0.9, 1],
  [
    "one that was away twice",
    [
      ["a", 0, 100],
      ["a", 300, 600],
      ["a", 700, 1_000],
    ],
    0.7,
    2,
  ],
  ["one whose last heartbeat was a moment ago", [["a", 0, 999.5]], 1, 0],
] as [string, [string, number, number][], number, number][])("%s", (_name, times, share, absences) => {
  const summary = summarize(presence(times));
  expect(summary.share).toBeCloseTo(share);
  expect(summary.absences).toHaveLength(absences);
});

it("the longest absence comes first, and no runner at all is no absence", () => {
  const { absences } = summarize(
    presence([
      ["a", 0, 100],
      ["a", 150, 600],
      ["a", 700, 1_000],
    ]),
  );
  expect(absences[0]).toEqual({ fromMs: fromMs + 600 * MINUTE_MS, toMs: fromMs + 700 * MINUTE_MS });
  expect(summarize(presence([]))).toEqual({ share: 0, absences: [], sinceMs: undefined });
});
