import { expect, it } from "vitest";
import { instantsOf, parseRange, rangeName, rangeOfSearch, searchWithRange } from "./range.ts";

const HOUR_MS = 3_600_000;
const ZONE = "America/New_York";
const at = (text: string) => Date.parse(`${text}-05:00`);
const nowMs = at("2026-11-23T15:30");

it.each([
  ["3h", { lengthMs: 3 * HOUR_MS }],
  ["last 3 hours", { lengthMs: 3 * HOUR_MS }],
  ["Last 2 d", { lengthMs: 48 * HOUR_MS }],
  ["90 min", { lengthMs: 1.5 * HOUR_MS }],
  ["today", { fromMs: at("2026-11-23T00:00"), toMs: nowMs }],
  ["yesterday", { fromMs: at("2026-11-22T00:00"), toMs: at("2026-11-23T00:00") }],
  ["2026-11-20 14:00 to 15:30", { fromMs: at("2026-11-20T14:00"), toMs: at("2026-11-20T15:30") }],
  ["2026-11-20 14:00 to 2026-11-21 09:00", { fromMs: at("2026-11-20T14:00"), toMs: at("2026-11-21T09:00") }],
  ["2026-11-20 to 2026-11-21", { fromMs: at("2026-11-20T00:00"), toMs: at("2026-11-21T00:00") }],
  [
    "2026-11-20T14:00Z to 2026-11-20T15:00:30Z",
    { fromMs: at("2026-11-20T09:00"), toMs: at("2026-11-20T10:00:30") },
  ],
  ["2026-11-20 15:00 to 14:00", undefined],
  ["500d", undefined],
  ["0h", undefined],
  ["soon", undefined],
  ["", undefined],
])("%j", (text, range) => {
  expect(parseRange(text, nowMs, ZONE)).toEqual(range);
});

it.each(["range=7d", "range=15m", "from=2026-11-20T13%3A00%3A00.000Z&to=2026-11-20T14%3A00%3A00.000Z", ""])(
  "an address keeps its range: %s",
  (search) => {
    expect(
      searchWithRange(new URLSearchParams(), rangeOfSearch(new URLSearchParams(search))).toString(),
    ).toBe(search);
  },
);

it.each(["range=fast", "from=x&to=y", "from=2026-11-20T13:00:00Z", "range=24h"])(
  "%s is the last 24 hours",
  (search) => {
    const range = rangeOfSearch(new URLSearchParams(search));
    expect([rangeName(range, String), instantsOf(range, nowMs)]).toEqual([
      "Last 24 hours",
      { fromMs: nowMs - 24 * HOUR_MS, toMs: nowMs },
    ]);
  },
);

it("other parts of an address stay", () => {
  const search = searchWithRange(new URLSearchParams("tab=slots&range=7d"), { lengthMs: HOUR_MS });
  expect(search.toString()).toBe("tab=slots&range=1h");
});
