/** Statuses of results and of their parts, and the numbers that stand for them on the wire and in the database. */

/**
 * Statuses of a result, in the order of their numbers.
 * - `success`: the target answered and every rule held
 * - `failure`: the target answered and a rule did not hold
 * - `error`: there was no usable answer
 * - `timeout`: the time limit passed first
 */
export const RESULT_STATUSES = ["success", "failure", "error", "timeout"] as const;
/** Status of a result, a step or an attempt. */
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** Number of each status in `svc.runner.v1.ResultStatus` and in the column `results.status`. */
export const STATUS_CODES = {
  success: 1,
  failure: 2,
  error: 3,
  timeout: 4,
} as const satisfies Record<ResultStatus, number>;

/**
 * Returns the status that a number stands for.
 * @throws RangeError for a number that stands for none
 */
export function statusOfCode(code: number): ResultStatus {
  const status = RESULT_STATUSES[code - 1];
  if (status === undefined) throw new RangeError(`no result status has the number ${code}`);
  return status;
}

/** True when the number stands for a success. */
export function isSuccessCode(code: number): boolean {
  return code === STATUS_CODES.success;
}
