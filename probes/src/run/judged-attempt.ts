/** The part of an attempt that decides about retries and the result. It does not depend on the check type. */
import type { ErrorCategory, ResultDetail, ResultStatus } from "@svc/contract";

/** One attempt after it was judged. */
export interface JudgedAttempt {
  status: ResultStatus;
  errorCategory?: ErrorCategory;
  errorMessage?: string;
  /** The target was not reached, so that trying again may help. */
  isNetworkError: boolean;
  /** Unix ms of the corrected clock. */
  startedAtMs: number;
  responseTimeUs: number;
}

/** Returns an attempt as the detail of a retried run lists it. */
export function attemptDetail(
  attempt: JudgedAttempt,
  httpStatusCode: number | undefined,
): NonNullable<ResultDetail["attempts"]>[number] {
  return {
    status: attempt.status,
    ...(attempt.errorCategory ? { errorCategory: attempt.errorCategory } : {}),
    ...(attempt.errorMessage === undefined ? {} : { errorMessage: attempt.errorMessage }),
    ...(httpStatusCode === undefined ? {} : { httpStatusCode }),
    responseTimeMs: attempt.responseTimeUs / 1000,
    startedAt: new Date(attempt.startedAtMs).toISOString(),
  };
}
