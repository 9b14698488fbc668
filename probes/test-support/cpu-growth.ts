/** Measures how work grows with the size of its input, by CPU time, so that no test depends on how fast the machine is. */

const TRIES = 6;
/** Below this, the clock's steps and the collector say more than the work. */
const MEASURABLE_MS = 2;

/** Returns the CPU time of one call in ms: the least of several, since a collection or another thread only adds. */
function cpuMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * Returns how much more CPU time twice the size takes, as the mean over several sizes: 2 for linear work, 4 for quadratic.
 * @param sizes each twice the one before
 * @param work takes an input of a size, made outside of what is measured
 */
export function growthAtDoubleSize<T>(
  sizes: readonly number[],
  inputOf: (size: number) => T,
  work: (input: T) => unknown,
): number {
  work(inputOf(sizes[0] as number)); // compiled before it is measured
  const times = sizes.map((size) => {
    const input = inputOf(size);
    return Math.max(
      MEASURABLE_MS,
      cpuMs(() => work(input)),
    );
  });
  return ((times.at(-1) as number) / (times[0] as number)) ** (1 / (times.length - 1));
}
