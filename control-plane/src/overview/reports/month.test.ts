import { DAY_MS } from "@svc/contract";
import { afterEach, describe, expect, it } from "vitest";
import { basisPointsOf, budgetOf, figuresOf } from "./figures.ts";
import { bitOfDay, countDays, dateOf, daysOfMonth, monthOf, rangeOfMonth } from "./month.ts";

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

describe("a month", () => {
  it.each([
    ["2026-10", "2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", 31],
    ["2026-12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", 31],
    ["2027-02", "2027-02-01T00:00:00.000Z", "2027-03-01T00:00:00.000Z", 28],
    ["2028-02", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z", 29],
    ["2000-02", "2000-02-01T00:00:00.000Z", "2000-03-01T00:00:00.000Z", 29],
    ["0001-01", "0001-01-01T00:00:00.000Z", "0001-02-01T00:00:00.000Z", 31],
  ])("%s begins at %s and ends at %s, after %i days", (month, from, to, days) => {
    // Zones whose clocks change in March and October, or lie a day ahead: none of that matters.
    for (const zone of ["Europe/Berlin", "America/New_York", "Pacific/Kiritimati"]) {
      process.env.TZ = zone;
      const { fromMs, toMs } = rangeOfMonth(month);
      expect([new Date(fromMs).toISOString(), new Date(toMs).toISOString()]).toEqual([from, to]);
      expect(daysOfMonth(month)).toHaveLength(days);
      expect([monthOf(fromMs), monthOf(toMs - 1)]).toEqual([month, month]);
      expect(monthOf(toMs)).not.toBe(month);
      expect(monthOf(fromMs - 1)).not.toBe(month);
    }
  });

  it("keeps its counted days as bits, up to the 31st", () => {
    const days = daysOfMonth("2026-10");
    const all = days.reduce((bits, dayMs) => bits | bitOfDay(dayMs), 0);
    expect(all).toBe(2 ** 31 - 1);
    expect(countDays(all)).toBe(31);
    expect(countDays(bitOfDay(days[4] as number) | bitOfDay(days[30] as number))).toBe(2);
    expect(countDays(0)).toBe(0);
    expect(dateOf((days[30] as number) + DAY_MS - 1)).toBe("2026-10-31");
  });
});

describe("figures", () => {
  it.each([
    [0, 0, null],
    [0, 5, 0],
    [99_999, 100_000, 9_999],
    [1, 3, 3_333],
    [100_000, 100_000, 10_000],
  ])("%i of %i are %s basis points", (part, whole, expected) => {
    expect(basisPointsOf(part, whole)).toBe(expected);
  });

  it("say nothing of availability where nothing was measured", () => {
    expect(figuresOf({ expected: 60, received: 0, success: 0 })).toEqual({
      expected: 60,
      received: 0,
      success: 0,
      availabilityBasisPoints: null,
      measuredBasisPoints: 0,
    });
  });

  it.each([
    // target, total, good, days; good share, met, budget and spent minutes, spent share
    [9_900, 1_000, 990, 30, [9_900, true, 432, 432, 10_000]],
    [9_900, 1_000, 989, 30, [9_890, false, 432, 475.2, 11_000]],
    [9_990, 3, 3, 1, [10_000, true, 1.44, 0, 0]],
    [5_000, 0, 0, 2, [null, null, 1_440, 0, null]],
    [9_999, 2, 1, 31, [5_000, false, 4.464, 22_320, 50_000_000]],
  ] as const)(
    "of a target of %i with %i results, %i good",
    (targetBasisPoints, total, good, countedDays, expected) => {
      const budget = budgetOf({ targetBasisPoints, total, good, countedDays });
      const [goodShare, isMet, budgetMinutes, spentMinutes, spent] = expected;
      expect(budget).toMatchObject({ goodBasisPoints: goodShare, isMet, spentBasisPoints: spent });
      expect(budget.budgetMinutes).toBeCloseTo(budgetMinutes, 6);
      expect(budget.spentMinutes).toBeCloseTo(spentMinutes, 6);
    },
  );
});
