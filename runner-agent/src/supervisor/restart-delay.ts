/** Waits before a process that ended by itself is started again. Pure. */

const FIRST_MS = 1_000;
const MAX_MS = 30_000;
/** A process that lived for longer had a good start: the next wait is the first one again. */
const LIVED_MS = 60_000;

/**
 * Returns the wait before the next start.
 * @param lastDelayMs the wait before the start that has failed now; 0: there was none
 * @param livedMs how long the process lived
 */
export function restartDelayMs(lastDelayMs: number, livedMs: number): number {
  if (lastDelayMs === 0 || livedMs >= LIVED_MS) return FIRST_MS;
  return Math.min(MAX_MS, 2 * lastDelayMs);
}
