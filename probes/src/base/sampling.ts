/** Which runs include what a check asks for only now and then. Pure, and by the slot alone, so that every runner decides alike. */

/**
 * Whether the slot is one of the 1 in `every` that are sampled.
 * @param slotMs Unix ms   @param every 1-1000
 */
export function isSampledSlot(slotMs: number, frequencySeconds: number, every: number): boolean {
  return Math.floor(slotMs / (frequencySeconds * 1000)) % every === 0;
}
