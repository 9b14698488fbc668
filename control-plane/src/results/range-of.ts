import { DAY_MS, invalidField } from "@svc/contract";
import type { TimeRange } from "./coverage/time-range.ts";

/**
 * Returns the range that a request names: by default the 24 hours before its end, which by default is now.
 * @param daysMax longest range, days
 * @throws DomainError `invalid` when it ends before it begins, or is too long
 */
export function rangeOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
  daysMax: number,
): TimeRange {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - DAY_MS : Date.parse(from);
  if (fromMs >= toMs) throw invalidField("from", "lies before to");
  if (toMs - fromMs > daysMax * DAY_MS) throw invalidField("from", `lies at most ${daysMax} days before to`);
  return { fromMs, toMs };
}
