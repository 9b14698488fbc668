import { DAY_MS, MINUTE_MS, parseInput, type QuietHours, quietHoursSchema } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { quietUntil } from "./quiet-hours.ts";

const NIGHT = { from: "22:00", to: "07:00", timezone: "Europe/Berlin" };
const at = (from: string, to: string, timezone = "Europe/Berlin"): QuietHours => ({ from, to, timezone });

describe("quiet hours hold until", () => {
  it.each<[string, QuietHours, string, string | undefined]>([
    ["the last moment before", NIGHT, "2026-01-15T20:59:59.999Z", undefined],
    ["the first moment", NIGHT, "2026-01-15T21:00Z", "2026-01-16T06:00Z"],
    ["after midnight", NIGHT, "2026-01-16T02:00Z", "2026-01-16T06:00Z"],
    ["the last moment", NIGHT, "2026-01-16T05:59:59.999Z", "2026-01-16T06:00Z"],
    ["the end", NIGHT, "2026-01-16T06:00Z", undefined],
    ["summer", NIGHT, "2026-07-15T20:00Z", "2026-07-16T05:00Z"],
    [
      "the night in which clocks go forward: an hour shorter",
      NIGHT,
      "2026-03-28T21:00Z",
      "2026-03-29T05:00Z",
    ],
    ["the night in which clocks go back: an hour longer", NIGHT, "2026-10-24T20:00Z", "2026-10-25T06:00Z"],
    ["within a day", at("12:00", "13:30"), "2026-01-15T12:00Z", "2026-01-15T12:30Z"],
    ["within a day, after it", at("12:00", "13:30"), "2026-01-15T12:30Z", undefined],
    ["from midnight", at("00:00", "06:00"), "2026-01-14T23:00Z", "2026-01-15T05:00Z"],
    ["until midnight", at("20:00", "00:00"), "2026-01-15T22:59Z", "2026-01-15T23:00Z"],
    ["all but a minute", at("07:01", "07:00"), "2026-01-16T06:00Z", undefined],
    ["all but a minute, after it", at("07:01", "07:00"), "2026-01-16T06:01Z", "2026-01-17T06:00Z"],
    ["an end that clocks skip", at("22:00", "02:30"), "2026-03-29T01:29Z", "2026-03-29T01:30Z"],
    [
      "an end that clocks show twice: the first",
      at("22:00", "02:30"),
      "2026-10-25T00:29Z",
      "2026-10-25T00:30Z",
    ],
    ["and not again the second time", at("22:00", "02:30"), "2026-10-25T01:10Z", undefined],
    [
      "a day that the date line took",
      at("22:00", "07:00", "Pacific/Apia"),
      "2011-12-30T09:00Z",
      "2011-12-30T17:00Z",
    ],
    [
      "the other side of the world",
      at("22:00", "07:00", "America/New_York"),
      "2026-07-16T02:00Z",
      "2026-07-16T11:00Z",
    ],
    [
      "half an hour of daylight saving",
      at("22:00", "07:00", "Australia/Lord_Howe"),
      "2026-10-03T12:00Z",
      "2026-10-03T20:00Z",
    ],
  ])("%s", (_name, quietHours, now, end) => {
    const untilMs = quietUntil(quietHours, Date.parse(now));
    expect(untilMs === undefined ? undefined : new Date(untilMs).toISOString()).toBe(
      end && new Date(end).toISOString(),
    );
  });

  it("their end is always later than the instant, around both changes of the clocks", () => {
    for (const begin of [Date.UTC(2026, 2, 28), Date.UTC(2026, 9, 24)])
      for (let ms = begin; ms < begin + 3 * DAY_MS; ms += 10 * MINUTE_MS)
        for (const quietHours of [NIGHT, at("02:10", "02:50"), at("02:30", "02:10")]) {
          const untilMs = quietUntil(quietHours, ms);
          if (untilMs !== undefined) expect(untilMs).toBeGreaterThan(ms);
        }
  });
});

describe("quiet hours are refused", () => {
  it.each([
    [{ ...NIGHT, to: "22:00" }, "from and to are equal"],
    [{ ...NIGHT, from: "24:00" }, "expected a time of the day from 00:00 to 23:59"],
    [{ ...NIGHT, from: "7:00" }, "expected a time of the day"],
    [{ ...NIGHT, to: "07:00:00" }, "expected a time of the day"],
    [{ ...NIGHT, timezone: "Europe/Atlantis" }, "not an IANA time zone"],
    [{ ...NIGHT, timezone: "+02:00" }, "not an IANA time zone"],
    [{ from: "22:00", to: "07:00" }, "required"],
    [{ ...NIGHT, exceptCritical: "yes" }, "expected a boolean"],
    [{ ...NIGHT, days: ["sat"] }, 'unknown field "days"'],
  ])("%j", (given, message) => {
    expect(JSON.stringify(parseInput(quietHoursSchema, given)).replaceAll("\\", "")).toContain(message);
  });
});
