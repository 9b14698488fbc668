/** Keeps the detail of a run of several requests small enough to be stored. Pure. */
import type { ResultDetail } from "@svc/contract";
import { DETAIL_BYTES_MAX, fitDetail } from "../run/fit-detail.ts";

/**
 * Returns the detail itself when it fits. Otherwise the steps lose the results of their assertions, which the detail has as a whole,
 * then their values; then the rest is cut as any detail is.
 */
export function fitSteps(detail: ResultDetail): ResultDetail {
  let fitting = detail;
  for (const field of ["assertions", "values"] as const) {
    const { stepRequestsJson } = fitting;
    if (!stepRequestsJson || Buffer.byteLength(JSON.stringify(fitting)) <= DETAIL_BYTES_MAX) break;
    fitting = {
      ...fitting,
      stepRequestsJson: stepRequestsJson.map(({ [field]: _dropped, ...request }) => request),
    };
  }
  return fitDetail(fitting);
}
