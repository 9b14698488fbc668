/** Keeps a browser run's detail small enough to be stored; what says why the run failed is never given up. */
import type { ResultDetail } from "@svc/contract";
import { DETAIL_BYTES_MAX } from "../run/fit-detail.ts";

const LISTS = ["networkRequestsJson", "consoleLogsJson", "assertions", "screenshotsJson", "steps"] as const;

/** The detail itself when it fits, else with the later half of its longest list left out, again until it does. Pure. */
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
