/** What a run, or a part of one, came to. */

/** success; failure: it answered and a rule did not hold; error: no usable answer; timeout: the limit passed. */
export const RESULT_STATUSES = ["success", "failure", "error", "timeout"] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];
