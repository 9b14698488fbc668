/**
 * Decides which runs include the extras that a check wants only now and then. Pure. The slot alone decides, so that
 * every runner decides alike.
 */

/**
 * True when the slot is one of the 1 in `every` that are sampled.
 * @param slotMs Unix ms
 * @param every 1 to 1000
 */
export function isSampledSlot(slotMs: number, frequencySeconds: number, every: number): boolean {
  return Math.floor(slotMs / (frequencySeconds * 1000)) % every === 0;
}
