/**
 * The one scheduler of a history: simulated time, and the order of everything that happens. Events of one instant come in an
 * order that the seed decides. Between two events all promises settle, so that nothing runs but what the scheduler began.
 */
import { EventHeap, type HeapEvent } from "../harness/event-heap.ts";
import type { Random } from "./random.ts";

/** Begin of every history, Unix ms. */
export const EPOCH_MS = Date.UTC(2026, 0, 5, 12, 0, 0);

interface Event extends HeapEvent {
  run: (() => void) | undefined;
}

/** Runs after the promises that are ready have settled. Taken before a history replaces the environment's timers. */
const nextTurn = setImmediate;

/** Keeps time and runs events. */
export class Scheduler {
  /** True time, Unix ms: that of the database's clock. */
  nowMs = EPOCH_MS;
  readonly #random: Random;
  readonly #events = new EventHeap<Event>();
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
    const event: Event = { atMs: this.nowMs + Math.max(0, delayMs), order: this.#random.next(), run };
    this.#events.push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Runs all events up to this instant, and then it is that instant. */
  async runUntil(untilMs: number): Promise<void> {
    const events = this.#events;
    for (let event = events.peek(); event !== undefined && event.atMs <= untilMs; event = events.peek()) {
      events.pop();
      if (event.run === undefined) continue;
      this.nowMs = event.atMs;
      this.#eventCount++;
      event.run();
      await new Promise<void>((resolve) => nextTurn(resolve));
    }
    this.nowMs = untilMs;
  }
}
