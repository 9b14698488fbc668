/** The end of a run from inside: a time limit whose lateness tells that this process itself stood still. */

/** The limit passed while the run was doing `doing`. */
export class TimeLimitPassed extends Error {}

/** This process was not given the time to run; nothing can be said about the page. */
export class Stalled extends Error {}

/** A limit that strikes later than this found the process held up. */
const LATE_MS_MAX = 1_000;

/**
 * What `work` comes to, or a rejection once the limit passes; the work is then left to itself.
 * @throws TimeLimitPassed, Stalled, or what the work throws
 */
export async function within<T>(limitMs: number, describe: () => string, work: Promise<T>): Promise<T> {
  const dueMs = performance.now() + limitMs;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const lateMs = performance.now() - dueMs;
      reject(
        lateMs > LATE_MS_MAX
          ? new Stalled(`the browser's driver stood still for ${Math.round(lateMs)} ms`)
          : new TimeLimitPassed(describe()),
      );
    }, limitMs);
  });
  work.catch(() => {}); // what it throws after the limit concerns nobody
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
