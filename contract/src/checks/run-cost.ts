/** Cost of a run for its runner. */

/** Cost of a run of some kind for its runner. */
export interface RunCost {
  /** How long a run takes where nothing was measured yet. */
  readonly seconds: number;
  /** Browser places that a run holds: the memory of so many pages; absent: it needs no browser. */
  readonly browserPages?: number;
  /** True when the run is a page of the browser that all such runs share, which has few pages at a time. */
  readonly sharesBrowser?: true;
}

/** Browser places that a script with a browser of its own holds. */
export const SCRIPT_BROWSER_PAGES = 4;

/** Cost of a run whose type names none. */
export const DEFAULT_RUN_COST: RunCost = { seconds: 1 };
