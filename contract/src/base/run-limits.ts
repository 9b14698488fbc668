/** How long and how widely runs share a runner: constants of the runner's gate, which the arithmetic of capacity uses, too. */

/** A run is fresh for this long, ms; then it is taken to be waiting for its target. */
export const FRESH_RUN_MS = 500;
/** Open runs that a runner allows for each fresh one. */
export const OPEN_RUNS_PER_FRESH = 20;
/** Fresh runs of a runner at a time, unless its operator set another number. */
export const FRESH_RUNS_DEFAULT = 100;
/** Pages that the shared browser of a runner has open at a time, at most. */
export const SHARED_PAGES_MAX = 8;
/** Browser places of a runner that does not say how many it has. */
export const BROWSER_PAGES_DEFAULT = 4;
