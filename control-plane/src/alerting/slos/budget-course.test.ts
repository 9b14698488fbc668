import { DAY_MS, HOUR_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { budgetCourse, exhaustedAtMs, hoursOf } from "./budget-course.ts";

const iso = (ms: number) => new Date(ms).toISOString();
const hour = (n: number, total: number, bad: number) => ({
  fromMs: n * HOUR_MS,
  toMs: (n + 1) * HOUR_MS,
  counts: { total, good: total - bad },
});

describe("the hours of a window", () => {
  it.each([
    ["whole hours", 0, 2 * HOUR_MS, [1, 2]],
    ["parts at both ends", 0.25 * HOUR_MS, 2.5 * HOUR_MS, [1, 2, 2.5]],
    ["less than an hour", 0.25 * HOUR_MS, 0.5 * HOUR_MS, [0.5]],
    ["nothing", HOUR_MS, HOUR_MS, []],
  ])("%s", (_title, fromMs, toMs, ends) => {
    const hours = hoursOf({ fromMs, toMs });
    expect(hours.map((one) => one.toMs / HOUR_MS)).toEqual(ends);
    // Each begins where the one before ends.
    expect(hours.map((one) => one.fromMs)).toEqual(
      [fromMs, ...hours.slice(0, -1).map((one) => one.toMs)].slice(0, hours.length),
    );
  });
});

describe("the course of a budget", () => {
  it("goes down with each bad result, by its share of the whole window's budget, and below zero", () => {
    // 1,000 results at 99 %: ten bad ones are the budget.
    const { points } = budgetCourse([hour(0, 400, 0), hour(1, 400, 5), hour(2, 200, 15)], 9_900);
    expect(points.map(({ budgetLeft }) => budgetLeft)).toEqual([1, 0.5, -1]);
    expect(points.map(({ at, total, bad }) => [at, total, bad])).toEqual([
      [iso(HOUR_MS), 400, 0],
      [iso(2 * HOUR_MS), 400, 5],
      [iso(3 * HOUR_MS), 200, 15],
    ]);
  });

  it("stays whole while there is no result", () => {
    expect(budgetCourse([hour(0, 0, 0)], 9_900)).toMatchObject({
      points: [{ budgetLeft: 1 }],
      consumers: [],
    });
  });

  it("names the ten hours that spent most, the worst first, later ones first among equals", () => {
    const hours = Array.from({ length: 12 }, (_, n) => hour(n, 100, n === 3 ? 9 : n === 11 ? 0 : 1));
    const { consumers } = budgetCourse(hours, 9_000);
    expect(consumers.map(({ from }) => Date.parse(from) / HOUR_MS)).toEqual([3, 10, 9, 8, 7, 6, 5, 4, 2, 1]);
    expect(consumers[0]).toMatchObject({ bad: 9, budgetShare: 9 / 120 });
  });
});

describe("the projection", () => {
  it.each([
    ["half is left at twice the pace", 0.5, 2, 7.5 * DAY_MS],
    ["all is left at the even pace", 1, 1, 30 * DAY_MS],
    ["nothing is being spent", 0.5, 0, null],
    ["nothing is left", 0, 3, null],
    ["more was spent than there is", -1, 3, null],
  ])("%s", (_title, budgetLeft, burnRate, expected) => {
    expect(exhaustedAtMs({ nowMs: 0, windowDays: 30, budgetLeft, burnRate })).toBe(expected);
  });
});
