/** Counts of the results of a stretch of time. */
export interface ResultCounts {
  total: number;
  success: number;
  /** Successes; for a performance SLI those within its threshold. */
  good: number;
  responseTimeSumUs: number;
}

/** The counts of no results. */
export const NO_COUNTS: ResultCounts = { total: 0, success: 0, good: 0, responseTimeSumUs: 0 };
