/** The trace of a history: a line for each thing that happened, and a hash by which two runs of a seed are compared. */
import { createHash } from "node:crypto";
import { EPOCH_MS } from "./scheduler.ts";

/** Collects the lines of one history. */
export class Trace {
  readonly lines: string[] = [];
  readonly #nowMs: () => number;

  /** @param nowMs true time, Unix ms */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Adds a line with the present time. */
  note(text: string): void {
    this.lines.push(`${((this.#nowMs() - EPOCH_MS) / 1000).toFixed(3)} ${text}`);
  }

  /** Returns the hash of all lines. */
  hash(): string {
    return createHash("sha256").update(this.lines.join("\n")).digest("hex");
  }
}
