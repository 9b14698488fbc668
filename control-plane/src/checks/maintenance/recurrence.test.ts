import { HOUR_MS, instantOf, wallTimeOf } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { occurrencesBetween, RecurrenceError } from "./recurrence.ts";

const at = Date.parse;

/** Starts of an hour's window by the rule, as ISO texts. */
function starts(rule: string | null, first: string, timezone: string, from: string, until: string): string[] {
  const recurrence = { startsAtMs: at(first), durationMs: HOUR_MS, rule, timezone };
  return occurrencesBetween(recurrence, at(from), at(until)).map((one) =>
    new Date(one.startsAtMs).toISOString().replace(":00.000Z", "Z"),
  );
}

describe("wall time", () => {
  it.each([
    ["a winter's day", "2026-01-15T14:00Z", "Europe/Berlin", "2026-01-15T13:00Z"],
    ["a summer's day", "2026-07-15T14:00Z", "Europe/Berlin", "2026-07-15T12:00Z"],
    ["the last minute before clocks go forward", "2026-03-29T01:59Z", "Europe/Berlin", "2026-03-29T00:59Z"],
    ["a skipped time, as long after the change", "2026-03-29T02:30Z", "Europe/Berlin", "2026-03-29T01:30Z"],
    ["the first minute after", "2026-03-29T03:00Z", "Europe/Berlin", "2026-03-29T01:00Z"],
    ["a time that happens twice, the first", "2026-10-25T02:30Z", "Europe/Berlin", "2026-10-25T00:30Z"],
    ["the hour after it", "2026-10-25T03:30Z", "Europe/Berlin", "2026-10-25T02:30Z"],
    ["clocks that go forward in the west", "2026-03-08T02:30Z", "America/New_York", "2026-03-08T07:30Z"],
    ["and back", "2026-11-01T01:30Z", "America/New_York", "2026-11-01T05:30Z"],
    ["half an hour of daylight saving", "2026-10-04T02:15Z", "Australia/Lord_Howe", "2026-10-03T15:45Z"],
    ["a change at midnight", "2026-09-06T00:30Z", "America/Santiago", "2026-09-06T04:30Z"],
    ["a day that the date line took", "2011-12-30T12:00Z", "Pacific/Apia", "2011-12-30T22:00Z"],
    ["no daylight saving", "2026-07-15T14:00Z", "Asia/Kolkata", "2026-07-15T08:30Z"],
    ["UTC", "2026-07-15T14:00Z", "UTC", "2026-07-15T14:00Z"],
  ])("%s", (_title, wall, timezone, instant) => {
    expect(new Date(instantOf(at(wall), timezone)).toISOString()).toBe(new Date(at(instant)).toISOString());
  });

  it("there and back is the same, but for skipped times", () => {
    for (const timezone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
      for (let ms = at("2026-01-01T00:00Z"); ms < at("2027-01-01T00:00Z"); ms += 7 * HOUR_MS) {
        const wall = wallTimeOf(ms, timezone);
        expect(wallTimeOf(instantOf(wall, timezone), timezone)).toBe(wall);
      }
  });
});

describe("occurrences", () => {
  it.each([
    [
      "Sundays at 02:30 in Berlin, over the change to winter",
      [
        "FREQ=WEEKLY;BYDAY=SU",
        "2026-10-18T00:30Z",
        "Europe/Berlin",
        "2026-10-15T00:00Z",
        "2026-11-05T00:00Z",
      ],
      ["2026-10-18T00:30Z", "2026-10-25T00:30Z", "2026-11-01T01:30Z"],
    ],
    [
      "daily at 02:30 in Berlin, over the change to summer: the skipped one is an hour later by the clock",
      ["FREQ=DAILY", "2026-03-27T01:30Z", "Europe/Berlin", "2026-03-27T00:00Z", "2026-03-31T00:00Z"],
      ["2026-03-27T01:30Z", "2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"],
    ],
    [
      "weekdays at 09:00 in New York",
      [
        "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
        "2026-03-05T14:00Z",
        "America/New_York",
        "2026-03-05T00:00Z",
        "2026-03-11T00:00Z",
      ],
      ["2026-03-05T14:00Z", "2026-03-06T14:00Z", "2026-03-09T13:00Z", "2026-03-10T13:00Z"],
    ],
    [
      "the last Friday of a month, in a zone where that is another day than in UTC",
      [
        "FREQ=MONTHLY;BYDAY=-1FR",
        "2026-01-29T11:30Z",
        "Pacific/Auckland",
        "2026-01-01T00:00Z",
        "2026-03-01T00:00Z",
      ],
      ["2026-01-29T11:30Z", "2026-02-26T11:30Z"],
    ],
    [
      "hourly through the hour that comes twice: once by the wall clock",
      ["FREQ=HOURLY", "2026-10-24T22:00Z", "Europe/Berlin", "2026-10-24T23:00Z", "2026-10-25T04:00Z"],
      ["2026-10-24T23:00Z", "2026-10-25T00:00Z", "2026-10-25T02:00Z", "2026-10-25T03:00Z"],
    ],
    [
      "COUNT is counted from the first one on",
      ["FREQ=DAILY;COUNT=3", "2026-06-01T00:00Z", "UTC", "2026-06-02T12:00Z", "2026-07-01T00:00Z"],
      ["2026-06-03T00:00Z"],
    ],
    [
      "UNTIL in UTC is an instant, and included",
      [
        "FREQ=DAILY;UNTIL=20260603T220000Z",
        "2026-06-01T22:00Z",
        "Europe/Berlin",
        "2026-06-01T00:00Z",
        "2026-07-01T00:00Z",
      ],
      ["2026-06-01T22:00Z", "2026-06-02T22:00Z", "2026-06-03T22:00Z"],
    ],
    [
      "UNTIL without a zone is wall time",
      [
        "FREQ=DAILY;UNTIL=20260604T000000",
        "2026-06-01T22:00Z",
        "Europe/Berlin",
        "2026-06-01T00:00Z",
        "2026-07-01T00:00Z",
      ],
      ["2026-06-01T22:00Z", "2026-06-02T22:00Z", "2026-06-03T22:00Z"],
    ],
    [
      "the next one is named when the range has none",
      ["FREQ=YEARLY", "2026-03-01T00:00Z", "UTC", "2026-04-01T00:00Z", "2026-05-01T00:00Z"],
      ["2027-03-01T00:00Z"],
    ],
    [
      "one that still holds at the beginning of the range is in it",
      ["FREQ=DAILY", "2026-06-01T00:00Z", "UTC", "2026-06-05T00:59Z", "2026-06-06T00:00Z"],
      ["2026-06-05T00:00Z"],
    ],
    [
      "one that ends at the beginning of the range is not",
      ["FREQ=DAILY", "2026-06-01T00:00Z", "UTC", "2026-06-05T01:00Z", "2026-06-06T00:00Z"],
      ["2026-06-06T00:00Z"],
    ],
    [
      "hourly since decades: every seventh hour, still counted from the first",
      ["FREQ=HOURLY;INTERVAL=7", "1996-01-01T05:00Z", "UTC", "2026-06-01T00:00Z", "2026-06-01T23:00Z"],
      ["2026-06-01T05:00Z", "2026-06-01T12:00Z", "2026-06-01T19:00Z"],
    ],
    [
      "every second week since years: of the weeks counted from the first",
      [
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR",
        "1990-01-05T03:00Z",
        "UTC",
        "2026-06-01T00:00Z",
        "2026-06-21T00:00Z",
      ],
      ["2026-06-01T03:00Z", "2026-06-05T03:00Z", "2026-06-15T03:00Z", "2026-06-19T03:00Z"],
    ],
    [
      "without a rule there is one, however far away",
      [null, "2030-06-01T00:00Z", "UTC", "2026-06-05T01:00Z", "2026-06-06T00:00Z"],
      ["2030-06-01T00:00Z"],
    ],
    [
      "and none when it is over",
      [null, "2026-06-01T00:00Z", "UTC", "2026-06-05T01:00Z", "2026-06-06T00:00Z"],
      [],
    ],
  ] as [string, [string | null, string, string, string, string], string[]][])(
    "%s",
    (_title, given, expected) => {
      expect(starts(...given)).toEqual(expected);
    },
  );

  it("each lasts as long as the first, also through a change of the clocks", () => {
    const recurrence = {
      startsAtMs: at("2026-10-23T22:00Z"),
      durationMs: 8 * HOUR_MS,
      rule: "FREQ=DAILY",
      timezone: "Europe/Berlin",
    };
    const lengths = occurrencesBetween(recurrence, at("2026-10-23T00:00Z"), at("2026-10-28T00:00Z")).map(
      (one) => one.endsAtMs - one.startsAtMs,
    );
    expect(new Set(lengths)).toEqual(new Set([8 * HOUR_MS]));
  });
});

it("a rule goes on for decades as it began", () => {
  const rules = [
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,WE",
    "FREQ=HOURLY;INTERVAL=5;BYHOUR=1,2,3",
  ];
  for (const rule of rules) {
    const during = (from: string, until: string) =>
      starts(rule, "2020-01-03T01:00Z", "Europe/Berlin", from, until);
    const whole = during("2020-01-01T00:00Z", "2022-06-01T00:00Z");
    const later = during("2022-04-30T00:00Z", "2022-06-01T00:00Z");
    expect(later.length).toBeGreaterThan(1);
    expect(later).toEqual(whole.slice(-later.length));
  }
});

it.each([
  ["FREQ=MINUTELY", /FREQ is one of/],
  ["FREQ=SECONDLY", /FREQ is one of/],
  ["BYDAY=MO", /FREQ is one of/],
  ["every sunday", /FREQ is one of/],
  ["FREQ=DAILY;NOPE=1", /not a valid RRULE/],
  ["FREQ=DAILY;BYDAY=XX", /not a valid RRULE/],
  ["FREQ=DAILY;UNTIL=soon", /not a valid RRULE/],
  ["FREQ=DAILY;INTERVAL=0", /INTERVAL is a whole number/],
  ["FREQ=DAILY;INTERVAL=-1", /INTERVAL is a whole number/],
  ["FREQ=DAILY;COUNT=0", /COUNT is a whole number/],
  ["FREQ=DAILY;BYHOUR=99", /BYHOUR takes whole numbers from 0 to 23/],
  ["FREQ=DAILY;BYHOUR=1,x", /BYHOUR takes whole numbers from 0 to 23/],
  ["FREQ=YEARLY;BYMONTH=13", /BYMONTH takes whole numbers from 1 to 12/],
  ["FREQ=DAILY;DTSTART=20260101T000000Z", /takes no DTSTART/],
  ["FREQ=DAILY\nEXDATE:20260101T000000Z", /only one RRULE line/],
  ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", /takes too long/],
  ["FREQ=HOURLY;BYMINUTE=0,10,20,30,40,50", /occurs more than|takes too long/],
])("%j is refused", (rule, message) => {
  const expand = () => starts(rule, "2026-01-01T00:00Z", "UTC", "2026-01-01T00:00Z", "2026-02-05T00:00Z");
  expect(expand).toThrow(RecurrenceError);
  expect(expand).toThrow(message);
});
