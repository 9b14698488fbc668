/** How a run at one location ended, or one part of it, and the numbers that stand for it on the wire and in the database. */

/**
 * Statuses of a result, in the order of their numbers.
 * - `success`: the target answered and every rule held
 * - `failure`: the target answered and a rule did not hold
 * - `error`: there was no usable answer
 * - `timeout`: the time limit passed first
 */
export const RESULT_STATUSES = ["success", "failure", "error", "timeout"] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** The number of each status: that of `svc.runner.v1.ResultStatus`, and of the column `results.status`. */
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
