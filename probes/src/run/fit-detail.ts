/** Keeps a run's detail small enough to be stored: one that is too large would be refused as a whole, reason of the failure included. */
import type { ResultDetail } from "@svc/contract";

/** JSON of a detail, bytes. The control plane refuses more than 256 KiB. */
export const DETAIL_BYTES_MAX = 240 * 1024;
/** What stays of the body at least is not worth cutting further. */
const BODY_CHARACTERS_MIN = 1024;
const ASSERTIONS_KEPT = 20;

/**
 * The detail itself when it fits, which it does unless a target wants it not to (control characters take six bytes each) or
 * many assertions quote long texts. Otherwise gives up the response's body bit by bit, then its headers, then all but the
 * first assertions, failed ones before others. What says why the run failed is never given up. Pure.
 */
export function fitDetail(detail: ResultDetail): ResultDetail {
  let fitting = detail;
  while (jsonBytes(fitting) > DETAIL_BYTES_MAX) {
    const smaller = withLess(fitting);
    if (!smaller) break;
    fitting = smaller;
  }
  return fitting;
}

function withLess(detail: ResultDetail): ResultDetail | undefined {
  const { response, assertions } = detail;
  if (response && response.body.length > BODY_CHARACTERS_MIN) {
    const body = response.body.slice(0, Math.floor(response.body.length / 2)).toWellFormed();
    return { ...detail, response: { ...response, body, wasTruncated: true } };
  }
  if (response && Object.keys(response.headers).length > 0)
    return { ...detail, response: { ...response, headers: {} } };
  if (assertions && assertions.length > ASSERTIONS_KEPT) {
    const failedFirst = assertions.toSorted((a, b) => Number(a.passed) - Number(b.passed));
    return { ...detail, assertions: failedFirst.slice(0, ASSERTIONS_KEPT) };
  }
  return undefined;
}

function jsonBytes(detail: ResultDetail): number {
  return Buffer.byteLength(JSON.stringify(detail));
}
