/**
 * A baseline as a running mean and deviation (Welford), kept robust: a value further out than WINSOR_SIGMAS counts as one
 * at that distance, so that an outage among the samples doesn't become the norm, while a lasting change does in time.
 * The first SAMPLES_MIN, which had nothing to be told by, are settled once more when they are complete (settledCell).
 * The past fades: beyond SAMPLES_REMEMBERED samples each new one takes the weight of an old one. Pure.
 */
import type { Baseline } from "../conditions/condition-input.ts";

/** Running sums of one hour of the week. */
export interface Cell {
  sampleCount: number;
  mean: number;
  /** Sum of squared deviations from the mean. */
  squares: number;
}

/** Fewer samples in an hour of the week are no baseline. */
export const SAMPLES_MIN = 20;
/** From here on outliers are cut; before, there is nothing to tell them by. */
const WINSOR_FROM_SAMPLES = 10;
const WINSOR_SIGMAS = 3;
const SAMPLES_REMEMBERED = 1_000;
/** Deviations smaller than this part of the mean are noise of measuring, not a property of the target. */
const DEVIATION_OF_MEAN_MIN = 0.01;
const DEVIATION_MIN = 1e-3;

export const EMPTY_CELL: Cell = { sampleCount: 0, mean: 0, squares: 0 };

/** The cell with one more sample. */
export function foldSample(cell: Cell, value: number): Cell {
  const known = forgetting(cell);
  const x = known.sampleCount < WINSOR_FROM_SAMPLES ? value : winsorised(known, value);
  const sampleCount = known.sampleCount + 1;
  const delta = x - known.mean;
  const mean = known.mean + delta / sampleCount;
  return { sampleCount, mean, squares: known.squares + delta * (x - mean) };
}

/**
 * A cell of these samples by their median and the median deviation from it, so that outliers which came before anything was
 * known to tell them by, up to nearly half of all, are cut like later ones.
 */
export function settledCell(values: readonly number[]): Cell {
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

/** Of a normal distribution: its standard deviation in median deviations. */
const MAD_TO_SIGMA = 1.4826;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** Undefined: too few samples. */
export function baselineOfCell(cell: Cell): Baseline | undefined {
  if (cell.sampleCount < SAMPLES_MIN) return undefined;
  return { sampleCount: cell.sampleCount, mean: cell.mean, deviation: deviationOf(cell) };
}

function winsorised(cell: Cell, value: number): number {
  const reach = WINSOR_SIGMAS * deviationOf(cell);
  return Math.min(cell.mean + reach, Math.max(cell.mean - reach, value));
}

function deviationOf({ sampleCount, mean, squares }: Cell): number {
  const deviation = sampleCount < 2 ? 0 : Math.sqrt(squares / (sampleCount - 1));
  return Math.max(deviation, leastDeviation(mean));
}

function leastDeviation(mean: number): number {
  return Math.max(Math.abs(mean) * DEVIATION_OF_MEAN_MIN, DEVIATION_MIN);
}

function forgetting(cell: Cell): Cell {
  if (cell.sampleCount < SAMPLES_REMEMBERED) return cell;
  const sampleCount = SAMPLES_REMEMBERED - 1;
  return { ...cell, sampleCount, squares: (cell.squares * sampleCount) / cell.sampleCount };
}
