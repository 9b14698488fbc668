/** Computes how long the phases of a request usually last. Pure. */
import type { Timing } from "@svc/contract";
import { PHASES } from "../../evidence/phases.ts";

/** Successes from which on their median means something. */
const RESULTS_MIN = 5;

/** Median of each phase in ms; a phase that no run had is absent. */
export type UsualTimes = Partial<Record<(typeof PHASES)[number][1], number>>;

/** Returns the medians of successful runs; undefined when they are too few. */
export function usualTimesOf(timings: readonly Timing[]): UsualTimes | undefined {
  if (timings.length < RESULTS_MIN) return undefined;
  const usual: UsualTimes = {};
  for (const [, field] of PHASES) {
    const known = timings.map((timing) => timing[field]).filter((ms) => ms !== undefined);
    const middle = known.sort((a, b) => a - b)[Math.floor((known.length - 1) / 2)];
    if (middle !== undefined) usual[field] = middle;
  }
  return usual;
}
