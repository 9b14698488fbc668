/** The end of a run from inside: a time limit whose lateness tells that this process itself stood still. */

/** The limit passed while the run was doing `doing`. */
export class TimeLimitPassed extends Error {}

/** This process was not given the time to run; nothing can be said about the page. */
export class Stalled extends Error {}

/** A limit that strikes later than this found the process held up. */
const LATE_MS_MAX = 1_000;

/** A limit that can be moved as long as it has not passed. */
export class TimeLimit {
  /** Rejects with TimeLimitPassed or Stalled. */
  readonly passed: Promise<never>;
  readonly #describe: (limitMs: number) => string;
  readonly #startedMs = performance.now();
  #reject: (error: Error) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(describe: (limitMs: number) => string) {
    this.#describe = describe;
    this.passed = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    this.passed.catch(() => {});
  }

  /** From when the limit was made; undefined and 0: none. */
  set(limitMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (limitMs === undefined || limitMs <= 0) return;
    const dueMs = Math.max(performance.now(), this.#startedMs + limitMs);
    this.#timer = setTimeout(
      () => {
        const lateMs = performance.now() - dueMs;
        this.#reject(
          lateMs > LATE_MS_MAX
            ? new Stalled(`the browser's driver stood still for ${Math.round(lateMs)} ms`)
            : new TimeLimitPassed(this.#describe(limitMs)),
        );
      },
      Math.min(2 ** 31 - 1, Math.max(0, dueMs - performance.now())),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * What `work` comes to, or a rejection once the limit passes; the work is then left to itself.
 * @throws TimeLimitPassed, Stalled, or what the work throws
 */
export async function within<T>(limitMs: number, describe: () => string, work: Promise<T>): Promise<T> {
  const limit = new TimeLimit(describe);
  limit.set(Math.max(1, limitMs));
  work.catch(() => {}); // what it throws after the limit concerns nobody
  try {
    return await Promise.race([work, limit.passed]);
  } finally {
    limit.stop();
  }
}
