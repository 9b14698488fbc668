/** Results of a stretch of time, counted. */
export interface Counts {
  total: number;
  success: number;
  /** Successes; of a performance SLI those within its threshold. */
  good: number;
  responseTimeSumUs: number;
}

export const NO_COUNTS: Counts = { total: 0, success: 0, good: 0, responseTimeSumUs: 0 };
