/**
 * The slot grid: the instants at which a check runs, as a pure function of the check. Every machine computes one and the
 * same grid, before and after a restart, so that a restart repeats no run and the load is flat. All instants are Unix ms
 * of the control plane's clock.
 */
import type { CheckId, TestRunId } from "./ids.ts";

/** Smallest and largest frequency of a check, in seconds. */
export const FREQUENCY_SECONDS_MIN = 10;
/** Frequency of a check that names none, in seconds. */
export const FREQUENCY_SECONDS_DEFAULT = 300;
/** Longest time between two slots of a check, seconds: a day. */
export const FREQUENCY_SECONDS_MAX = 86_400;

/**
 * Returns the offset of a check's slots within its period, in ms: from 0 to below frequencySeconds * 1000. Computed as the
 * 32-bit FNV-1a hash of the id, mixed.
 */
export function phaseMs(checkId: CheckId | TestRunId, frequencySeconds: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < checkId.length; i++) {
    hash ^= checkId.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // Finalizer of MurmurHash3: ids made at one moment differ in few bits only, and FNV alone leaves their hashes close.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) % (frequencySeconds * 1000);
}

/** Returns the first slot at or after `fromMs`: the smallest k * period + phase >= fromMs. */
export function slotAtOrAfter(fromMs: number, periodMs: number, phase: number): number {
  return Math.ceil((fromMs - phase) / periodMs) * periodMs + phase;
}

/** True when `slotMs` is a slot of the grid. */
export function isSlot(slotMs: number, periodMs: number, phase: number): boolean {
  return (slotMs - phase) % periodMs === 0;
}

/**
 * Returns the delay in ms between a slot and its run at one location. The locations are spread evenly over the period, so
 * that an outage is seen early and the locations don't hit the target all at once.
 * @param index position of the location in the check's list, 0-based
 * @param count number of the check's locations
 */
export function staggerMs(index: number, count: number, periodMs: number): number {
  return Math.floor((index * periodMs) / count);
}
