/** Measures how the cost of work grows with its size, independent of the machine's speed. */

/** Runs of each size; the cheapest counts. */
const RUNS = 7;
/** Measurements; the lowest growth counts, because whatever else the machine does can only make one size dearer. */
const ROUNDS = 5;
const LINEAR_GROWTH_MAX = 2.5;

/**
 * Returns how many times more CPU time the work takes at twice the size: about 2 for linear work, 4 for quadratic work.
 * Ends early once the growth is that of linear work.
 * @param prepare returns the work of a size, ready to run; its own time isn't counted
 * @param size large enough for the work to take milliseconds
 */
export function cpuGrowth(prepare: (size: number) => () => unknown, size: number): number {
  const works = [prepare(size), prepare(2 * size)];
  let lowest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && lowest > LINEAR_GROWTH_MAX; round++) {
    const cheapest = works.map(() => Number.POSITIVE_INFINITY);
    for (let run = 0; run < RUNS; run++)
      for (const [i, work] of works.entries())
        cheapest[i] = Math.min(cheapest[i] ?? 0, cpuMicroseconds(work));
    const [once = 0, twice = 0] = cheapest;
    lowest = Math.min(lowest, twice / Math.max(once, 1));
  }
  return lowest;
}

function cpuMicroseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
