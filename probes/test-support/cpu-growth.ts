/** Measures how work grows with the size of its input, by CPU time, so that no test depends on how fast the machine is. */

/** Rounds of all sizes: as few as say that the work is linear, and at most ROUNDS_MAX. */
const ROUNDS_MIN = 3;
const ROUNDS_MAX = 20;
/** Linear work grows twice; this much more is the collector's and the clock's. */
const SURELY_LINEAR = 2.2;
/** Below this, the clock's steps and the collector say more than the work. */
const MEASURABLE_MS = 2;

/** Returns the CPU time of one call, ms. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Returns how much more CPU time twice the size takes, as the mean over several sizes: 2 for linear work, 4 for quadratic.
 * The time of a size is the least of several rounds, since a collection, a compilation or another thread only adds.
 * @param sizes each twice the one before
 * @param work takes an input of a size, made outside of what is measured
 */
export function growthAtDoubleSize<T>(
  sizes: readonly number[],
  inputOf: (size: number) => T,
  work: (input: T) => unknown,
): number {
  const inputs = sizes.map(inputOf);
  work(inputs[0] as T); // compiled before it is measured
  const leastMs = sizes.map(() => Number.POSITIVE_INFINITY);
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS_MAX && !(round > ROUNDS_MIN && growth <= SURELY_LINEAR); round++) {
    for (const [index, input] of inputs.entries())
      leastMs[index] = Math.min(
        leastMs[index] as number,
        cpuMs(() => work(input)),
      );
    const [first, ...rest] = leastMs.map((ms) => Math.max(MEASURABLE_MS, ms));
    growth = ((rest.at(-1) as number) / (first as number)) ** (1 / rest.length);
  }
  return growth;
}
