/** The time that one attempt of a browser run has to get memory and a browser that is ready, both together. */
import { monotonicMs } from "../base/machine-clocks.ts";
import type { ProbeContext } from "../run/probe.ts";

/** A browser, or the memory for one, was not there in time: this machine has too much to do. */
export class NotStartedInTime extends Error {}

/** Longest time in which an attempt has to start. After more than that a slot is no longer worth running. */
export const START_MS_MAX = 30_000;
/** Shortest time in which an attempt has to start, however late its slot is. */
export const START_MS_MIN = 5_000;

/** Counts down one attempt's time to start. */
export class StartDeadline {
  readonly #atMs: number;
  readonly #nowMs: () => number;

  /** @param nowMs monotonic clock, ms; default: the machine's */
  constructor({ beginByMs, nowMs }: Pick<ProbeContext, "beginByMs" | "nowMs">, monotonicNowMs = monotonicMs) {
    const untilBeginMs = beginByMs === undefined ? START_MS_MAX : beginByMs - nowMs();
    this.#nowMs = monotonicNowMs;
    this.#atMs = monotonicNowMs() + Math.min(START_MS_MAX, Math.max(START_MS_MIN, untilBeginMs));
  }

  /** Time that is left, ms; at least 0. */
  get remainingMs(): number {
    return Math.max(0, this.#atMs - this.#nowMs());
  }
}

/**
 * Waits for something that is being made, at most for a time.
 * @param discard is called with what comes too late
 * @throws NotStartedInTime
 */
export async function startedWithin<T>(
  making: Promise<T>,
  withinMs: number,
  discard: (late: T) => unknown = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<"too late">((resolve) => {
    timer = setTimeout(() => resolve("too late"), withinMs);
  });
  const made = await Promise.race([making.then((value) => ({ value })), tooLate]).finally(() =>
    clearTimeout(timer),
  );
  if (made !== "too late") return made.value;
  making.then(discard, () => undefined);
  throw new NotStartedInTime("the browser was not ready in time");
}
