import { describe, expect, it } from "vitest";
import { type DutyRota, dutiesBetween, dutyAt, type HandoverRule, WEEKDAYS } from "./rota-duty.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./time.ts";
import { wallTimeOf } from "./zone.ts";

type Rota = DutyRota<{ name: string }>;

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

function rotaOf(more: Partial<Rota>, names = ["Ada", "Bea", "Cem"]): Rota {
  return {
    timezone: "Europe/Berlin",
    handover: { type: "weekly", weekday: "monday", time: "09:00" },
    startsAtMs: at("2026-03-02T08:00:00Z"),
    members: names.map((name) => ({ name })),
    overrides: [],
    ...more,
  };
}

/** Generator of numbers from 0 to below 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("turns", () => {
  it("change at the same wall time before and after the clocks go forward and back", () => {
    const duties = dutiesBetween(rotaOf({}), at("2026-03-16T12:00:00Z"), at("2026-04-06T12:00:00Z"));
    expect(duties.map(({ member, fromMs }) => [member.name, iso(fromMs)])).toEqual([
      ["Cem", "2026-03-16T08:00:00.000Z"],
      ["Ada", "2026-03-23T08:00:00.000Z"],
      ["Bea", "2026-03-30T07:00:00.000Z"],
      ["Cem", "2026-04-06T07:00:00.000Z"],
    ]);
    const autumn = rotaOf({ handover: { type: "daily", everyDays: 1, time: "02:30" } });
    const nights = dutiesBetween(autumn, at("2026-10-24T12:00:00Z"), at("2026-10-26T12:00:00Z"));
    expect(nights.map(({ fromMs }) => iso(fromMs))).toEqual([
      "2026-10-24T00:30:00.000Z",
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
  });

  it("of the first member hold the start, and run back before it", () => {
    const rota = rotaOf({ startsAtMs: at("2026-03-04T12:00:00Z") });
    expect(dutyAt(rota, at("2026-03-02T08:00:00Z"))?.member.name).toBe("Ada");
    expect(dutyAt(rota, at("2026-03-02T07:59:59.999Z"))?.member.name).toBe("Cem");
    expect(dutyAt(rota, at("1971-01-01T00:00:00Z"))).toBeDefined();
  });

  it("of hours last as long in UTC, whatever the clocks do", () => {
    const rota = rotaOf({
      handover: { type: "hourly", everyHours: 12 },
      startsAtMs: at("2026-03-28T06:00:00Z"),
    });
    const starts = dutiesBetween(rota, at("2026-03-28T06:00:00Z"), at("2026-03-30T06:00:00Z"));
    expect(starts.map(({ member, fromMs }) => `${member.name} ${iso(fromMs).slice(5, 13)}`)).toEqual([
      "Ada 03-28T06",
      "Bea 03-28T18",
      "Cem 03-29T06",
      "Ada 03-29T18",
    ]);
  });

  it("of a day count leap days", () => {
    const rota = rotaOf({
      timezone: "UTC",
      handover: { type: "daily", everyDays: 2, time: "00:00" },
      startsAtMs: at("2028-02-28T10:00:00Z"),
    });
    expect(
      dutiesBetween(rota, at("2028-02-28T00:00:00Z"), at("2028-03-05T00:00:00Z")).map(
        ({ member, fromMs }) => [member.name, iso(fromMs).slice(0, 10)],
      ),
    ).toEqual([
      ["Ada", "2028-02-28"],
      ["Bea", "2028-03-01"],
      ["Cem", "2028-03-03"],
    ]);
  });

  it("skip the turn of a day that the zone skipped", () => {
    const rota = rotaOf({
      timezone: "Pacific/Apia",
      handover: { type: "daily", everyDays: 1, time: "10:00" },
      startsAtMs: at("2011-12-28T21:00:00Z"),
    });
    const duties = dutiesBetween(rota, at("2011-12-29T00:00:00Z"), at("2012-01-02T00:00:00Z"));
    for (const { fromMs, toMs } of duties) expect(toMs).toBeGreaterThan(fromMs);
    expect(duties.map(({ member }) => member.name)).not.toContain(undefined);
  });
});

describe("an override", () => {
  const override = { fromMs: at("2026-03-06T10:00:00Z"), toMs: at("2026-03-17T10:00:00Z"), member: "Cem" };

  it("is one duty where it spans handovers, and leaves the rest of the turns", () => {
    const duties = dutiesBetween(
      rotaOf({ overrides: [override] }),
      at("2026-03-02T08:00:00Z"),
      at("2026-03-20T00:00:00Z"),
    );
    expect(duties.map(({ member, fromMs, isOverride }) => [member.name, iso(fromMs), isOverride])).toEqual([
      ["Ada", "2026-03-02T08:00:00.000Z", false],
      ["Cem", "2026-03-06T10:00:00.000Z", true],
      ["Cem", "2026-03-17T10:00:00.000Z", false],
    ]);
  });

  it("holds from its first instant to before its end", () => {
    const rota = rotaOf({ overrides: [override] });
    expect(dutyAt(rota, override.fromMs)).toMatchObject({ ...override, member: { name: "Cem" } });
    expect(dutyAt(rota, override.fromMs - 1)?.isOverride).toBe(false);
    expect(dutyAt(rota, override.toMs - 1)?.isOverride).toBe(true);
    expect(dutyAt(rota, override.toMs)?.isOverride).toBe(false);
  });
});

it("has nobody on duty without members", () => {
  expect(dutyAt(rotaOf({}, []), at("2026-03-06T10:00:00Z"))).toBeUndefined();
  expect(dutiesBetween(rotaOf({}, []), 0, DAY_MS)).toEqual([]);
});

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Africa/Casablanca",
  "Africa/Monrovia",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Pacific/Kwajalein",
  "Pacific/Chatham",
  "America/Sao_Paulo",
];
/** Weeks with changes of clocks in one of the zones, skipped days and leap days. */
const ABOUT = [
  "1972-02-29",
  "1993-08-21",
  "1994-12-31",
  "2000-02-29",
  "2011-12-30",
  "2018-11-04",
  "2026-03-29",
  "2026-10-25",
  "2028-02-29",
  "2100-02-28",
];

describe.each(ZONES)("in %s", (timezone) => {
  it.each(ABOUT)("exactly one member is on duty at each instant about %s", (day) => {
    const random = randomOf(day.length * 7 + Date.parse(day) + timezone.length);
    const pick = (max: number) => Math.floor(random() * max);
    for (let i = 0; i < 12; i++) {
      const time = `${String(pick(24)).padStart(2, "0")}:${String(pick(60)).padStart(2, "0")}`;
      const handover = (
        [
          { type: "weekly", weekday: WEEKDAYS[pick(7)] ?? "monday", time },
          { type: "daily", everyDays: 1 + pick(9), time },
          { type: "hourly", everyHours: 1 + pick(50) },
        ] satisfies HandoverRule[]
      )[i % 3] as HandoverRule;
      const fromMs = at(`${day}T00:00:00Z`) - pick(6 * DAY_MS);
      const toMs = fromMs + 12 * DAY_MS;
      const overrideMs = fromMs + pick(8 * DAY_MS);
      const names = ["Ada", "Bea", "Cem", "Dov"].slice(0, 1 + pick(4));
      const overrides =
        i % 2 ? [{ fromMs: overrideMs, toMs: overrideMs + 1 + pick(4 * DAY_MS), member: "Ada" }] : [];
      const rota = rotaOf(
        { timezone, handover, startsAtMs: fromMs + (pick(800) - 400) * DAY_MS + pick(DAY_MS), overrides },
        names,
      );
      const duties = dutiesBetween(rota, fromMs, toMs);
      expect(duties[0]?.fromMs).toBeLessThanOrEqual(fromMs);
      expect(duties.at(-1)?.toMs).toBeGreaterThanOrEqual(toMs);
      for (const [n, duty] of duties.entries()) {
        expect(duty.toMs).toBeGreaterThan(duty.fromMs);
        if (n > 0) expect(duty.fromMs).toBe(duties[n - 1]?.toMs);
      }
      // The answer for one instant is that of the span, and the start is the first member's.
      for (let n = 0; n < 10; n++) {
        const atMs = fromMs + pick(toMs - fromMs);
        const holding = duties.filter((duty) => duty.fromMs <= atMs && atMs < duty.toMs);
        expect(holding).toHaveLength(1);
        expect(dutyAt(rota, atMs)).toEqual(holding[0]);
      }
      expect(dutyAt({ ...rota, overrides: [] }, rota.startsAtMs)?.member.name).toBe("Ada");
      if (handover.type === "hourly") continue;
      // A handover is at its time of the day, or as long after the change as clocks skipped.
      for (const { fromMs: startMs, isOverride } of dutiesBetween({ ...rota, overrides: [] }, fromMs, toMs)) {
        const wallMs = wallTimeOf(startMs, timezone);
        const lateMs = (((wallMs - at(`1970-01-01T${time}:00Z`)) % DAY_MS) + DAY_MS) % DAY_MS;
        expect(isOverride).toBe(false);
        expect(
          lateMs === 0 || wallTimeOf(startMs - lateMs - MINUTE_MS, timezone) < wallMs - HOUR_MS / 3,
        ).toBe(true);
      }
    }
  });
});
