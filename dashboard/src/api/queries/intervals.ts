/** How often pages read anew while somebody looks. */

/** Interval of what changes with every run. */
export const FAST_MS = 5_000;
/** Interval of what people change. */
export const SLOW_MS = 30_000;
