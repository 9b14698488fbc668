/** Makes the state of a location from its newest results. Pure. */
import { isSuccessCode, STATUS_CODES } from "@svc/contract";
import type { LocationState } from "./member-profile.ts";
import type { FailureDetail } from "./profile-store.ts";

/** Newest results of a location that are read, to find out since when it fails. */
export const RESULTS_PER_LOCATION = 4;

/** Error categories of failures whose stored detail names none. */
const CATEGORY_OF_STATUS: Record<number, string | undefined> = {
  [STATUS_CODES.failure]: "assertion",
  [STATUS_CODES.timeout]: "timeout",
};

/** A result by its status code; the slot is Unix ms. */
interface NewResult {
  status: number;
  slotMs: number;
  httpStatusCode: number | null;
}

/**
 * Returns the state of a location.
 * @param results of one location, newest first, at least one and at most {@link RESULTS_PER_LOCATION}
 * @param detail what is stored of the newest result, when it is a failure
 */
export function stateOfLocation(
  results: readonly NewResult[],
  detail: Pick<FailureDetail, "errorCategory" | "errorMessage"> | undefined,
): Omit<LocationState, "locationId" | "locationName"> {
  const { status, slotMs, httpStatusCode } = results[0] as NewResult;
  const isFailing = !isSuccessCode(status);
  const firstSuccess = results.findIndex((result) => isSuccessCode(result.status));
  const failures = firstSuccess < 0 ? results : results.slice(0, firstSuccess);
  return {
    isFailing,
    slotMs,
    failingSinceMs: failures.at(-1)?.slotMs ?? null,
    errorCategory: detail?.errorCategory ?? (isFailing ? CATEGORY_OF_STATUS[status] : null) ?? null,
    errorMessage: detail?.errorMessage ?? null,
    httpStatusCode: isFailing ? httpStatusCode : null,
  };
}
