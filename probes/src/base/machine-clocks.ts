/**
 * The clocks of this machine: the only file of probes that reads them. They are read directly, not handed in, because no
 * judgement depends on them: they measure durations and end waits. Judgements use the corrected clock of the run's context.
 */

/** Reads the monotonic clock: ms with fractions since an arbitrary instant, never set back. */
export function monotonicMs(): number {
  return performance.now();
}

/** Reads the wall clock: Unix ms, uncorrected. For the offset between it and the corrected clock. */
export function wallMs(): number {
  return Date.now();
}
