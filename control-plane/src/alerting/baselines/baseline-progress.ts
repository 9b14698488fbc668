/** Tells how far the baselines of a check are. Pure. */
import { type BaselineMetric, type BaselineProgress, DAY_MS, HOUR_MS, HOURS_OF_WEEK } from "@svc/contract";
import { SAMPLES_MIN } from "./fold.ts";

const WEEK_MS = 7 * DAY_MS;

/** Samples of each hour of the week at one location; an hour without samples is missing. */
export interface HourSamples {
  locationKey: number;
  hour: number;
  sampleCount: number;
}

/** The samples of one metric of a check, from which its progress follows. `nowMs`: Unix ms. */
export interface BaselineProgressInput {
  metric: BaselineMetric;
  /** Locations of the check. */
  locationKeys: readonly number[];
  samples: readonly HourSamples[];
  frequencySeconds: number;
  nowMs: number;
}

/**
 * Returns how many hours of the week have a baseline at every location, and the estimated day from which all have one. The
 * estimate takes it that the check goes on at its frequency and succeeds.
 */
export function baselineProgress(input: BaselineProgressInput): BaselineProgress {
  const { metric, locationKeys, samples, frequencySeconds, nowMs } = input;
  const counts = new Map(
    samples.map(({ locationKey, hour, sampleCount }) => [`${locationKey}:${hour}`, sampleCount]),
  );
  const leastOfHour = Array.from({ length: HOURS_OF_WEEK }, (_, hour) =>
    Math.min(...locationKeys.map((key) => counts.get(`${key}:${hour}`) ?? 0)),
  );
  const hoursKnown = leastOfHour.filter((count) => count >= SAMPLES_MIN).length;
  const samplesPerWeek = HOUR_MS / (frequencySeconds * 1_000);
  const weeks = Math.ceil((SAMPLES_MIN - Math.min(...leastOfHour)) / samplesPerWeek);
  const judgesFrom =
    hoursKnown === HOURS_OF_WEEK ? null : new Date(nowMs + weeks * WEEK_MS).toISOString().slice(0, 10);
  return { metric, hoursKnown, hoursTotal: HOURS_OF_WEEK, judgesFrom };
}
