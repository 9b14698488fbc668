/**
 * Keeps a run's detail small enough to be stored. The control plane would refuse a larger one as a whole, the reason of the
 * failure included.
 */
import type { ResultDetail } from "@svc/contract";

/** Largest JSON of a detail, bytes. The control plane refuses more than 256 KiB. */
export const DETAIL_BYTES_MAX = 240 * 1024;
/** A body that was cut to this length is not cut further. */
const BODY_CHARACTERS_MIN = 1024;
const ASSERTIONS_KEPT = 20;

/**
 * Returns the detail itself when it fits. It does unless a target tries to make it too large (control characters take six
 * bytes each) or many assertions quote long texts. Otherwise halves the response's body until that is short, then drops its
 * headers, then all but the first assertions, failed ones before others. Never drops the reason of the failure. Pure.
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
