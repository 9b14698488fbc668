/** The range in which response times usually are, for each bucket of a chart. Pure. */
import { hourOfWeek } from "@svc/contract";
import type { CheckBaseline } from "../api/queries/history.ts";

/** Standard deviations on either side of the mean. */
const SIGMAS = 2;

/** Bounds by bucket, ms; null where there is no baseline. */
export interface Band {
  low: readonly (number | null)[];
  high: readonly (number | null)[];
}

/** Returns the band of a location's baseline, at the hours of the week in which the buckets begin. */
export function bandOf(
  { mean, deviation }: Pick<CheckBaseline["locations"][number], "mean" | "deviation">,
  atMs: readonly number[],
): Band {
  const bound = (sigmas: number) =>
    atMs.map((ms) => {
      const hour = hourOfWeek(ms);
      const [middle, spread] = [mean[hour], deviation[hour]];
      return middle == null || spread == null ? null : Math.max(0, middle + sigmas * spread);
    });
  return { low: bound(-SIGMAS), high: bound(SIGMAS) };
}
