import { aLocation, anInput, judgeRows, NOW_MS } from "../../../test-support/conditions.ts";

judgeRows([
  ["count failures", { type: "consecutive_failures" }, anInput([aLocation("FT")]), "critical"],
  ["one failure fewer", { type: "consecutive_failures" }, anInput([aLocation("FS")]), undefined],
  ["the first results ever, too few", { type: "consecutive_failures" }, anInput([aLocation("F")]), undefined],
  ["failures, then a success", { type: "consecutive_failures" }, anInput([aLocation("SFF")]), undefined],
  [
    "any one location is enough",
    { type: "consecutive_failures" },
    anInput([aLocation("SS"), aLocation("EE", { locationKey: 2 })]),
    "critical",
  ],
  [
    "failures spread over locations don't add up",
    { type: "consecutive_failures" },
    anInput([aLocation("FS"), aLocation("FS", { locationKey: 2 })]),
    undefined,
  ],
  ["a count of one", { type: "consecutive_failures", count: 1 }, anInput([aLocation("E")]), "critical"],

  [
    "exactly maxMs is fine",
    { type: "response_time_threshold", maxMs: 500 },
    anInput([aLocation("S", { ms: [500] })]),
    undefined,
  ],
  [
    "a microsecond more is slow",
    { type: "response_time_threshold", maxMs: 500 },
    anInput([aLocation("S", { ms: [500.001] })]),
    "critical",
  ],
  [
    "a failure in between leaves the newest success the judge",
    { type: "response_time_threshold", maxMs: 500 },
    anInput([aLocation("FS", { ms: [1, 900] })]),
    "critical",
  ],
  [
    "slow before, fast now",
    { type: "response_time_threshold", maxMs: 500 },
    anInput([aLocation("SS", { ms: [400, 900] })]),
    undefined,
  ],
  [
    "slow from one place of two",
    { type: "response_time_threshold", maxMs: 500 },
    anInput([aLocation("S"), aLocation("S", { locationKey: 2, ms: [501] })]),
    "critical",
  ],
  [
    "no success known",
    { type: "response_time_threshold", maxMs: 500 },
    anInput([aLocation("FF")]),
    undefined,
  ],

  [
    "two locations at once",
    { type: "multi_location_failure" },
    anInput([aLocation("F"), aLocation("T", { locationKey: 2 })]),
    "critical",
  ],
  [
    "one of two",
    { type: "multi_location_failure" },
    anInput([aLocation("F"), aLocation("SF", { locationKey: 2 })]),
    undefined,
  ],
  [
    "in the last ms of the window",
    { type: "multi_location_failure" },
    anInput([aLocation("F"), aLocation("F", { locationKey: 2, agesSeconds: [299.999] })]),
    "critical",
  ],
  [
    "just out of the window",
    { type: "multi_location_failure" },
    anInput([aLocation("F"), aLocation("F", { locationKey: 2, agesSeconds: [300] })]),
    undefined,
  ],
  [
    "three wanted, two fail",
    { type: "multi_location_failure", minLocations: 3 },
    anInput([1, 2].map((locationKey) => aLocation("F", { locationKey }))),
    undefined,
  ],

  [
    "3 of the last 5",
    { type: "failure_ratio", failures: 3, total: 5 },
    anInput([aLocation("FSFSF")]),
    "critical",
  ],
  [
    "3 of the last 5, not of the last 6",
    { type: "failure_ratio", failures: 3, total: 5 },
    anInput([aLocation("FSFSSF")]),
    undefined,
  ],
  [
    "over locations, by time",
    { type: "failure_ratio", failures: 2, total: 2 },
    anInput([aLocation("FS"), aLocation("FS", { locationKey: 2 })]),
    "critical",
  ],
  [
    "fewer results than total",
    { type: "failure_ratio", failures: 2, total: 5 },
    anInput([aLocation("FF")]),
    "critical",
  ],

  [
    "two slots missed",
    { type: "missed_runs" },
    anInput([aLocation("S", { missedSlotsMs: [NOW_MS, NOW_MS - 1] })]),
    "critical",
  ],
  [
    "one slot missed",
    { type: "missed_runs" },
    anInput([aLocation("S", { missedSlotsMs: [NOW_MS] })]),
    undefined,
  ],
]);
