/** Lets simulated time pass for a test that awaits a model directly. */
import type { Scheduler } from "./scheduler.ts";

/** Longest simulated time that one wait may take, ms. */
const PATIENCE_MS = 60_000;

/** Resolves as the work does, and lets time pass until then. */
export async function drive<T>(scheduler: Scheduler, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  for (const endMs = scheduler.nowMs + PATIENCE_MS; !isSettled && scheduler.nowMs < endMs; )
    await scheduler.runUntil(scheduler.nowMs + 1);
  return work;
}
