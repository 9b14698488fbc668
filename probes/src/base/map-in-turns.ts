/**
 * Maps with at most so many calls in flight. Keeps the order of the items.
 * @throws the first rejection, once the calls in flight have settled; no further ones are started
 */
export async function mapInTurns<Item, Mapped>(
  items: readonly Item[],
  inFlightMax: number,
  map: (item: Item) => Promise<Mapped>,
): Promise<Mapped[]> {
  const mapped: Mapped[] = new Array(items.length);
  let next = 0;
  let hasFailed = false;
  const lane = async () => {
    while (next < items.length && !hasFailed) {
      const index = next++;
      try {
        mapped[index] = await map(items[index] as Item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(inFlightMax, items.length) }, lane));
  const failure = lanes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
  return mapped;
}
