/** Keeps a browser run's detail small enough to be stored. The reason of a failure is never dropped. */
import type { ResultDetail } from "@svc/contract";
import { DETAIL_BYTES_MAX } from "../run/fit-detail.ts";

const LISTS = ["networkRequestsJson", "consoleLogsJson", "assertions", "screenshotsJson", "steps"] as const;

/**
 * Returns the detail itself when it fits. Otherwise drops the later half of its longest list, again and again until
 * the rest fits. Pure.
 */
export function fitBrowserDetail(detail: ResultDetail): ResultDetail {
  let fitting = detail;
  while (bytesOf(fitting) > DETAIL_BYTES_MAX) {
    const current = fitting;
    const longest = LISTS.toSorted((a, b) => bytesOf(current[b]) - bytesOf(current[a]))[0];
    const list = longest === undefined ? undefined : fitting[longest];
    if (longest === undefined || list === undefined || list.length === 0) return fitting;
    const note = `${longest} is not complete: the run's detail would be too large`;
    const notes = [...new Set([...(fitting.notes ?? []), note])];
    fitting = { ...fitting, [longest]: list.slice(0, Math.floor(list.length / 2)), notes };
  }
  return fitting;
}

function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}
