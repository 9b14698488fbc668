/** Requests under way at a time: quick, and far below any rate limit of the service. */
const IN_FLIGHT_MAX = 6;

/**
 * Runs `work` on each item, at most {@link IN_FLIGHT_MAX} at a time, started in the order of `items`. Rejects with the
 * first error.
 */
export async function inTurns<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT_MAX, items.length) }, worker));
}
