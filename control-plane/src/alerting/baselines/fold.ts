/**
 * A baseline as a running mean and standard deviation (Welford's algorithm), kept robust. A value further out than
 * WINSOR_SIGMAS counts as one at that distance, so that an outage among the samples does not become the norm, while a
 * lasting change does in time. The first SAMPLES_MIN samples arrive before anything could tell their outliers; they are
 * computed once more when they are complete (`robustSums`). The past fades: beyond SAMPLES_REMEMBERED samples each new one
 * takes the weight of an old one. Pure.
 */

/** Mean and standard deviation of a metric at a location in one hour of the week. */
export interface Baseline {
  sampleCount: number;
  mean: number;
  deviation: number;
}

/** Running sums of one hour of the week. */
export interface RunningSums {
  sampleCount: number;
  mean: number;
  /** Sum of squared deviations from the mean. */
  squares: number;
}

/** An hour of the week with fewer samples has no baseline. */
export const SAMPLES_MIN = 20;
/** Samples that there must be before outliers are cut; fewer don't show which values are outliers. */
const WINSOR_FROM_SAMPLES = 10;
const WINSOR_SIGMAS = 3;
const SAMPLES_REMEMBERED = 1_000;
/** Deviations smaller than this part of the mean are noise of measuring, not a property of the target. */
const DEVIATION_OF_MEAN_MIN = 0.01;
const DEVIATION_MIN = 1e-3;
/** Standard deviation of a normal distribution, in median absolute deviations. */
const MAD_TO_SIGMA = 1.4826;

/** Sums of no samples. */
export const NO_SUMS: RunningSums = { sampleCount: 0, mean: 0, squares: 0 };

/** Returns the sums with one more sample. */
export function foldSample(sums: RunningSums, value: number): RunningSums {
  const known = forgetting(sums);
  const x = known.sampleCount < WINSOR_FROM_SAMPLES ? value : winsorised(known, value);
  const sampleCount = known.sampleCount + 1;
  const delta = x - known.mean;
  const mean = known.mean + delta / sampleCount;
  return { sampleCount, mean, squares: known.squares + delta * (x - mean) };
}

/**
 * Returns the sums of these samples, with outliers cut by the samples' median and median absolute deviation. Up to nearly
 * half of the samples may be outliers.
 */
export function robustSums(values: readonly number[]): RunningSums {
  const middle = median(values);
  const spread = MAD_TO_SIGMA * median(values.map((value) => Math.abs(value - middle)));
  const reach = WINSOR_SIGMAS * Math.max(spread, leastDeviation(middle));
  const cut = values.map((value) => Math.min(middle + reach, Math.max(middle - reach, value)));
  const mean = cut.reduce((sum, value) => sum + value, 0) / cut.length;
  return {
    sampleCount: cut.length,
    mean,
    squares: cut.reduce((sum, value) => sum + (value - mean) ** 2, 0),
  };
}

/** Returns the baseline that the sums stand for; undefined when there are too few samples. */
export function baselineOf(sums: RunningSums): Baseline | undefined {
  if (sums.sampleCount < SAMPLES_MIN) return undefined;
  return { sampleCount: sums.sampleCount, mean: sums.mean, deviation: deviationOf(sums) };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

function winsorised(sums: RunningSums, value: number): number {
  const reach = WINSOR_SIGMAS * deviationOf(sums);
  return Math.min(sums.mean + reach, Math.max(sums.mean - reach, value));
}

function deviationOf({ sampleCount, mean, squares }: RunningSums): number {
  const deviation = sampleCount < 2 ? 0 : Math.sqrt(squares / (sampleCount - 1));
  return Math.max(deviation, leastDeviation(mean));
}

function leastDeviation(mean: number): number {
  return Math.max(Math.abs(mean) * DEVIATION_OF_MEAN_MIN, DEVIATION_MIN);
}

/** Takes the weight of one sample away once there are as many as are remembered. */
function forgetting(sums: RunningSums): RunningSums {
  if (sums.sampleCount < SAMPLES_REMEMBERED) return sums;
  const sampleCount = SAMPLES_REMEMBERED - 1;
  return { ...sums, sampleCount, squares: (sums.squares * sampleCount) / sums.sampleCount };
}
