/** Computes the picture of an error budget over its window. Pure. Instants are Unix ms. */
import type { SloSeries } from "../../api/queries/slos.ts";
import type { AxisMark } from "../../time/midnights.ts";

/** Width and height of the picture in its own units. */
export const WIDTH = 1000;
/** Height of the picture in its own units. */
export const HEIGHT = 240;
/** Lowest share that is drawn: what is overspent beyond the whole budget again stays at the edge. */
const LOWEST = -1;
const STEP = 0.25;

/** The picture: paths, and where the axes are marked. */
export interface BurnDownShape {
  /** Begins with the first hour that has a result. */
  line: string;
  /** The line closed along the edge where nothing is left. */
  area: string;
  evenPace: string;
  /** Height at which nothing is left. */
  zeroY: number;
  /** Times within maintenance windows. */
  held: readonly { x: number; width: number }[];
  /** Shares of the budget, the largest first. */
  shares: readonly AxisMark[];
}

/** Returns the picture of a series. */
export function burnDownShape({ from, to, points, maintenance }: SloSeries): BurnDownShape {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const least = points.reduce((min, { budgetLeft }) => Math.min(min, budgetLeft), 0);
  const lowest = Math.max(LOWEST, Math.floor(least / STEP) * STEP);
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
  const x = (ms: number) => round(share(ms) * WIDTH);
  const y = (left: number) => round(((1 - Math.max(lowest, left)) / (1 - lowest)) * HEIGHT);
  const firstCounted = points.findIndex(({ total }) => total > 0);
  const counted = firstCounted < 0 ? [] : points.slice(firstCounted);
  const beginX = x(Date.parse(points[firstCounted - 1]?.at ?? from));
  const line = `M${beginX} ${y(1)}${counted.map(({ at, budgetLeft }) => `L${x(Date.parse(at))} ${y(budgetLeft)}`).join("")}`;
  return {
    line,
    area: `${line}V${y(0)}H${beginX}Z`,
    evenPace: `M0 ${y(1)}L${WIDTH} ${y(0)}`,
    zeroY: y(0),
    held: maintenance.map((span) => {
      const left = x(Date.parse(span.from));
      return { x: left, width: Math.max(1, x(Date.parse(span.to)) - left) };
    }),
    shares: sharesFrom(lowest).map((value) => ({ value, position: y(value) / HEIGHT })),
  };
}

function sharesFrom(lowest: number): number[] {
  return [1, 0.5, 0, -0.5, -1].filter((value) => value >= lowest);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
