/**
 * The slot grid: when a check runs, as a pure function of the check. The same answer on every machine and after every
 * restart, so a restart re-runs nothing and load is flat. All instants are Unix ms of the control plane's clock.
 */

/** Smallest and largest frequency of a check, in seconds. */
export const FREQUENCY_SECONDS_MIN = 10;
export const FREQUENCY_SECONDS_MAX = 86_400;

/** Offset of a check's slots within its period, in ms: [0, frequencySeconds * 1000). FNV-1a 32 bit over the id, mixed. */
export function phaseMs(checkId: string, frequencySeconds: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < checkId.length; i++) {
    hash ^= checkId.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // Finalizer of MurmurHash3: ids of one moment differ in few bits only, and FNV alone leaves them close together.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) % (frequencySeconds * 1000);
}

/** First slot at or after `fromMs`: the smallest k * period + phase >= fromMs. */
export function slotAtOrAfter(fromMs: number, periodMs: number, phase: number): number {
  return Math.ceil((fromMs - phase) / periodMs) * periodMs + phase;
}

/** Whether `slotMs` is a slot of the grid. */
export function isSlot(slotMs: number, periodMs: number, phase: number): boolean {
  return (slotMs - phase) % periodMs === 0;
}

/**
 * How long after the slot a location runs it, in ms: the locations are spread evenly over the period, so that an outage
 * is seen early and the target is not hit by all at once.
 * @param index position of the location in the check's list, 0-based   @param count how many locations the check has
 */
export function staggerMs(index: number, count: number, periodMs: number): number {
  return Math.floor((index * periodMs) / count);
}
