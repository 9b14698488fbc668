/**
 * The one scheduler of a history: simulated time, and the order of everything that happens. Events of one instant come in an
 * order that the seed decides. Between two events all promises settle, so that nothing runs but what the scheduler began.
 */
import type { Random } from "./random.ts";

/** Begin of every history, Unix ms. */
export const EPOCH_MS = Date.UTC(2026, 0, 5, 12, 0, 0);

interface Event {
  atMs: number;
  /** Decides between events of one instant. */
  rank: number;
  run: (() => void) | undefined;
}

/** Runs after the promises that are ready have settled. Taken before a history replaces the environment's timers. */
const nextTurn = setImmediate;

/** Keeps time and runs events. */
export class Scheduler {
  /** True time, Unix ms: that of the database's clock. */
  nowMs = EPOCH_MS;
  readonly #random: Random;
  /** A binary heap, the next event first. */
  readonly #events: Event[] = [];
  #eventCount = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Number of events that have run. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Runs `run` after a delay of at least 0 ms. Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const event: Event = { atMs: this.nowMs + Math.max(0, delayMs), rank: this.#random.next(), run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Runs all events up to this instant, and then it is that instant. */
  async runUntil(untilMs: number): Promise<void> {
    for (let event = this.#events[0]; event !== undefined && event.atMs <= untilMs; event = this.#events[0]) {
      this.#pop();
      if (event.run === undefined) continue;
      this.nowMs = event.atMs;
      this.#eventCount++;
      event.run();
      await new Promise<void>((resolve) => nextTurn(resolve));
    }
    this.nowMs = untilMs;
  }

  #push(event: Event): void {
    const events = this.#events;
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, events[parent] as Event)) break;
      events[index] = events[parent] as Event;
      index = parent;
    }
    events[index] = event;
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop() as Event;
    if (events.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= events.length) break;
      const right = events[child + 1];
      if (right !== undefined && isBefore(right, events[child] as Event)) child++;
      if (!isBefore(events[child] as Event, last)) break;
      events[index] = events[child] as Event;
      index = child;
    }
    events[index] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.rank < b.rank);
}
