/**
 * Corrects the clock by the answers of the control plane, warns the operator of a skew, and hands on offsets worth
 * storing.
 */
import type { Logger } from "pino";
import { CorrectedClock, type TimeSource } from "./corrected-clock.ts";

/** The machine's clocks, and the offset from which the correction starts. */
export interface ClockSyncParts {
  log: Logger;
  /** The machine's clocks. */
  time: TimeSource;
  /** The last offset that an earlier process measured, ms. */
  initialOffsetMs: number;
  /** Called when the offset moved enough to be stored for the next start. */
  onOffset: (offsetMs: number) => void;
}

/** Skew from which the operator is warned. */
const SKEW_WARNED_MS = 2000;
const OFFSET_CHANGE_MS = 100;

/** Keeps the agent's clock by that of the control plane. */
export class ClockSync {
  readonly clock: CorrectedClock;
  readonly #parts: ClockSyncParts;
  #rememberedOffsetMs: number;
  #hasWarnedOfSkew = false;

  constructor(parts: ClockSyncParts) {
    this.#parts = parts;
    this.#rememberedOffsetMs = parts.initialOffsetMs;
    this.clock = new CorrectedClock(parts.time, parts.initialOffsetMs);
  }

  /**
   * Corrects the clock by one answer.
   * @param sentLocalMs local clock when the question left
   * @param serverMs the control plane's clock in its answer
   */
  addServerTime(sentLocalMs: number, serverMs: number): void {
    this.clock.addSample({ sentLocalMs, serverMs, receivedLocalMs: this.clock.localMs() });
    const { offsetMs } = this.clock;
    if (Math.abs(offsetMs - this.#rememberedOffsetMs) > OFFSET_CHANGE_MS) {
      this.#rememberedOffsetMs = offsetMs;
      this.#parts.onOffset(offsetMs);
    }
    if (Math.abs(offsetMs) <= SKEW_WARNED_MS || this.#hasWarnedOfSkew) return;
    this.#hasWarnedOfSkew = true;
    const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
    const side = offsetMs > 0 ? "behind" : "ahead of";
    this.#parts.log.warn(
      `clock skew: this machine's clock is ${seconds} s ${side} the control plane's; slots follow the control plane`,
    );
  }
}
