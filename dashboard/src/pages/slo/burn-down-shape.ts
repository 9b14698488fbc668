/** Computes the picture of an error budget over its window. Pure. Instants are Unix ms. */
import type { SloSeries } from "../../api/queries/slos.ts";

/** Width and height of the picture in its own units. */
export const WIDTH = 1000;
/** Height of the picture in its own units. */
export const HEIGHT = 240;
/** Lowest share that is drawn: what is overspent beyond the whole budget again stays at the edge. */
const LOWEST = -1;
const STEP = 0.25;
const DAY_MS = 86_400_000;
/** Most dates on the axis. */
const DATES_MAX = 8;

/** A mark on an axis, at a share of its length from 0 to 1. */
interface AxisMark {
  position: number;
  value: number;
}

/** The picture: paths, and where the axes are marked. */
export interface BurnDownShape {
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
  /** Midnights in the reader's zone. */
  dates: readonly AxisMark[];
}

/** Returns the picture of a series. */
export function burnDownShape({ from, to, points, maintenance }: SloSeries): BurnDownShape {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const least = points.reduce((min, { budgetLeft }) => Math.min(min, budgetLeft), 0);
  const lowest = Math.max(LOWEST, Math.floor(least / STEP) * STEP);
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
  const x = (ms: number) => round(share(ms) * WIDTH);
  const y = (left: number) => round(((1 - Math.max(lowest, left)) / (1 - lowest)) * HEIGHT);
  const line = `M0 ${y(1)}${points.map(({ at, budgetLeft }) => `L${x(Date.parse(at))} ${y(budgetLeft)}`).join("")}`;
  return {
    line,
    area: `${line}V${y(0)}H0Z`,
    evenPace: `M0 ${y(1)}L${WIDTH} ${y(0)}`,
    zeroY: y(0),
    held: maintenance.map((span) => {
      const left = x(Date.parse(span.from));
      return { x: left, width: Math.max(1, x(Date.parse(span.to)) - left) };
    }),
    shares: sharesFrom(lowest).map((value) => ({ value, position: y(value) / HEIGHT })),
    dates: midnights(fromMs, toMs).map((value) => ({ value, position: share(value) })),
  };
}

function sharesFrom(lowest: number): number[] {
  return [1, 0.5, 0, -0.5, -1].filter((value) => value >= lowest);
}

/** Returns midnights of the reader's zone between two instants, some days apart when there are many. */
function midnights(fromMs: number, toMs: number): number[] {
  const every = Math.ceil((toMs - fromMs) / DAY_MS / DATES_MAX);
  const dates: number[] = [];
  const day = new Date(fromMs);
  day.setHours(24, 0, 0, 0);
  for (; day.getTime() < toMs; day.setDate(day.getDate() + every)) dates.push(day.getTime());
  return dates;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
