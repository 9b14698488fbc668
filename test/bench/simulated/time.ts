/**
 * Simulated time of one event loop. Instants come from here, and so do timers; the CPU that a step took passes as time, too, so
 * that a loop which is busy is late. Stands for this process's timers and monotonic clock.
 */
import { EventHeap, type HeapEvent } from "../../harness/event-heap.ts";

const real = { setTimeout, clearTimeout, setImmediate, now: performance.now.bind(performance) };

interface Step extends HeapEvent {
  run: () => void;
}

/** Returns this process's CPU time so far, ms: the program's and the garbage collector's. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A clock and the steps that wait for it. */
export class SimulatedTime {
  #nowMs: number;
  readonly #startMs: number;
  readonly #steps = new EventHeap<Step>();
  #order = 0;
  /** CPU so far of work that is another process's in reality, ms. */
  #foreignCpuMs = 0;
  #chargedCpuMs = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  /** Simulated time, Unix ms. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** CPU that the simulated process took since the start, ms. */
  get cpuMs(): number {
    return this.#chargedCpuMs;
  }

  /** Replaces `setTimeout` and `performance.now` of this process. */
  install(): void {
    const after = (run: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
      const step = this.at(this.#nowMs + Math.max(0, delayMs), () => run(...args));
      return { step, unref: () => undefined, ref: () => undefined };
    };
    Object.assign(globalThis, {
      setTimeout: after,
      clearTimeout: (timer?: { step?: Step }) => {
        if (timer?.step) timer.step.run = () => undefined;
      },
    });
    performance.now = () => this.#nowMs - this.#startMs;
  }

  /** Runs the step at an instant, or as soon as the loop is free after it. */
  at(atMs: number, run: () => void): Step {
    const step = { atMs, order: this.#order++, run };
    this.#steps.push(step);
    return step;
  }

  /** Resolves after some simulated time. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.at(this.#nowMs + delayMs, resolve));
  }

  /** Does work that happens elsewhere in reality: its CPU is not this process's. */
  foreign<T>(work: () => T): T {
    const before = processCpuMs();
    try {
      return work();
    } finally {
      this.#foreignCpuMs += processCpuMs() - before;
    }
  }

  /** Runs all steps up to an instant. */
  async runUntil(untilMs: number): Promise<void> {
    for (let next = this.#steps.peek(); next && next.atMs <= untilMs; next = this.#steps.peek()) {
      this.#steps.pop();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      const before = processCpuMs();
      const foreignBefore = this.#foreignCpuMs;
      next.run();
      await turn();
      const elapsedMs = processCpuMs() - before - (this.#foreignCpuMs - foreignBefore);
      this.#chargedCpuMs += Math.max(0, elapsedMs);
      this.#nowMs += Math.max(0, elapsedMs);
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }
}

/** Resolves once all promises that are settled have been followed. */
function turn(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve));
}
