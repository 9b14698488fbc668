import { expect, it } from "vitest";
import { burnDownShape, HEIGHT, WIDTH } from "./burn-down-shape.ts";

const HOUR_MS = 3_600_000;
const fromMs = Date.parse("2026-11-16T12:00:00Z");
const at = (hours: number) => new Date(fromMs + hours * HOUR_MS).toISOString();

function series(lefts: readonly number[], windowHours = 168) {
  return {
    sloId: "slo_1",
    from: at(0),
    to: at(windowHours),
    points: lefts.map((budgetLeft, i) => ({
      at: at(((i + 1) * windowHours) / lefts.length),
      budgetLeft,
      total: 10,
      bad: 1,
    })),
    consumers: [],
    maintenance: [{ from: at(windowHours / 2), to: at(windowHours) }],
    exhaustedAt: null,
    coverage: null,
  };
}

it("goes from the whole budget on the left to what is left of it on the right", () => {
  const { line, evenPace, zeroY } = burnDownShape(series([0.75, 0.5]));
  expect(line).toBe(`M0 0L${WIDTH / 2} ${HEIGHT / 4}L${WIDTH} ${HEIGHT / 2}`);
  expect(evenPace).toBe(`M0 0L${WIDTH} ${HEIGHT}`);
  expect(zeroY).toBe(HEIGHT);
});

it("begins where results begin, and draws nothing where there are none", () => {
  const late = series([1, 1, 0.5, 0.5]);
  const points = late.points.map((point, i) => ({ ...point, total: i < 2 ? 0 : 10 }));
  const { line, area } = burnDownShape({ ...late, points });
  expect(line).toBe(`M${WIDTH / 2} 0L${WIDTH * 0.75} ${HEIGHT / 2}L${WIDTH} ${HEIGHT / 2}`);
  expect(area).toBe(`${line}V${HEIGHT}H${WIDTH / 2}Z`);
  const none = late.points.map((point) => ({ ...point, total: 0 }));
  expect(burnDownShape({ ...late, points: none }).line).toBe("M0 0");
});

it("shows what is overspent, up to the whole budget again", () => {
  const overspent = burnDownShape(series([-0.4]));
  expect(overspent.shares.map(({ value }) => value)).toEqual([1, 0.5, 0, -0.5]);
  expect(overspent.zeroY).toBeCloseTo(HEIGHT / 1.5, 0);
  expect(burnDownShape(series([-7])).line).toBe(`M0 0L${WIDTH} ${HEIGHT}`);
});

it("marks times of maintenance at their place", () => {
  expect(burnDownShape(series([1])).held).toEqual([{ x: WIDTH / 2, width: WIDTH / 2 }]);
});
