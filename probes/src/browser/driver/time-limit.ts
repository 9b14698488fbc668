/** Time limits inside a driver. A limit that fires late shows that the driver's own process stood still. */
import { monotonicMs } from "../../base/machine-clocks.ts";

/** The time limit passed. */
export class TimeLimitPassed extends Error {}

/** Says that this process got no time to run, so nothing can be said about the page. */
export class Stalled extends Error {}

/** A limit that fires later than this shows that the process was held up. */
const LATE_MS_MAX = 1_000;

/** A time limit that can be moved as long as it has not passed. */
export class TimeLimit {
  /** Rejects with TimeLimitPassed or Stalled. */
  readonly passed: Promise<never>;
  readonly #describe: (limitMs: number) => string;
  readonly #startedMs = monotonicMs();
  #reject: (error: Error) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(describe: (limitMs: number) => string) {
    this.#describe = describe;
    this.passed = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    this.passed.catch(() => {});
  }

  /** Sets the limit, counted from when this object was made. Undefined and 0: no limit. */
  set(limitMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (limitMs === undefined || limitMs <= 0) return;
    const dueMs = Math.max(monotonicMs(), this.#startedMs + limitMs);
    this.#timer = setTimeout(
      () => {
        const lateMs = monotonicMs() - dueMs;
        this.#reject(
          lateMs > LATE_MS_MAX
            ? new Stalled(`the browser's driver stood still for ${Math.round(lateMs)} ms`)
            : new TimeLimitPassed(this.#describe(limitMs)),
        );
      },
      Math.min(2 ** 31 - 1, Math.max(0, dueMs - monotonicMs())),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Waits for work until a limit passes. The work is not ended then.
 * @returns the result of the work
 * @throws TimeLimitPassed, Stalled, or the error of the work
 */
export async function within<T>(limitMs: number, describe: () => string, work: Promise<T>): Promise<T> {
  const limit = new TimeLimit(describe);
  limit.set(Math.max(1, limitMs));
  work.catch(() => {}); // an error after the limit concerns nobody
  try {
    return await Promise.race([work, limit.passed]);
  } finally {
    limit.stop();
  }
}
