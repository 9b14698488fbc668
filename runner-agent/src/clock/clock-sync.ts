/** Keeps the corrected clock: takes in what the stream measures, tells the operator of a skew, remembers the offset. */
import { performance } from "node:perf_hooks";
import type { Logger } from "pino";
import { CorrectedClock } from "./corrected-clock.ts";

export interface ClockKeeperParts {
  log: Logger;
  /** Offset that an earlier process measured last, ms. */
  initialOffsetMs: number;
  /** The offset moved enough to be written down for the next start. */
  onOffset: (offsetMs: number) => void;
}

/** A clock further off than this is worth a line. */
const SKEW_TOLD_MS = 2000;
const OFFSET_REMEMBERED_MS = 100;

export class ClockKeeper {
  readonly clock: CorrectedClock;
  readonly #parts: ClockKeeperParts;
  #rememberedOffsetMs: number;
  #hasToldSkew = false;

  constructor(parts: ClockKeeperParts) {
    this.#parts = parts;
    this.#rememberedOffsetMs = parts.initialOffsetMs;
    this.clock = new CorrectedClock(
      { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
      parts.initialOffsetMs,
    );
  }

  /** An answer of the control plane: its clock, and ours when we asked. */
  takeServerTime(sentLocalMs: number, serverMs: number): void {
    this.clock.addSample({ sentLocalMs, serverMs, receivedLocalMs: this.clock.localMs() });
    const { offsetMs } = this.clock;
    if (Math.abs(offsetMs - this.#rememberedOffsetMs) > OFFSET_REMEMBERED_MS) {
      this.#rememberedOffsetMs = offsetMs;
      this.#parts.onOffset(offsetMs);
    }
    if (Math.abs(offsetMs) <= SKEW_TOLD_MS || this.#hasToldSkew) return;
    this.#hasToldSkew = true;
    const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
    const side = offsetMs > 0 ? "behind" : "ahead of";
    this.#parts.log.warn(
      `clock skew: this machine's clock is ${seconds} s ${side} the control plane's; slots follow the control plane`,
    );
  }
}
