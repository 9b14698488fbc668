/** Watches the agent's event loop: measures how long it was held, and logs what ran then. */
import { LOOP_TICK_MS, LoopGuard, type LoopHold } from "@svc/contract";

const guard = new LoopGuard();

/** Names the work that begins now, for the log line about a hold: `run of http`, `message snapshot`. */
export function beganWork(name: string): void {
  guard.began(name);
}

/**
 * Calls `onHold` after each time that the loop was held.
 * @param monotonicMs monotonic clock, ms
 * @returns a function that ends the watch
 */
export function watchLoop(monotonicMs: () => number, onHold: (hold: LoopHold) => void): () => void {
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    const hold = guard.tick({ nowMs: monotonicMs(), cpuMs: (user + system) / 1000 });
    if (hold) onHold(hold);
  }, LOOP_TICK_MS).unref();
  return () => clearInterval(timer);
}
