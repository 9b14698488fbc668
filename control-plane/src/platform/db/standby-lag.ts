/**
 * Measures how far a standby is behind, by positions in the write-ahead log: of the primary at instants of this process, and
 * of the standby now. No clocks of servers are compared, and an idle database is not behind.
 */

/** Samples of the primary that are kept: enough to tell how far a slow standby is behind. */
const SAMPLES_MAX = 120;

/** Positions of a primary at instants of the monotonic clock. */
export class StandbyLag {
  readonly #samples: { atMs: number; position: number }[] = [];

  /** Notes that everything committed before `atMs` lies before `position`, in bytes. */
  note(atMs: number, position: number): void {
    this.#samples.push({ atMs, position });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Forgets the samples, as when another server is the primary. */
  clear(): void {
    this.#samples.length = 0;
  }

  /**
   * Returns the age of the oldest commit that a standby at `position` may lack, ms; at least the time since the last note.
   * Undefined when it is farther behind than the samples reach.
   */
  lagMs(position: number, nowMs: number): number | undefined {
    const covered = this.#samples.findLast((sample) => sample.position <= position);
    return covered && nowMs - covered.atMs;
  }

  /** True when a standby at `position` has all that was noted. */
  hasAll(position: number): boolean {
    return this.#samples.every((sample) => sample.position <= position);
  }
}
