/** How far an alert is from ending by itself. No I/O. */
import type { Result } from "@svc/contract";

/** A location with its successes in a row, as far as the newest results tell, at most as many as are needed. */
export interface Progress {
  locationId: string;
  successes: number;
}

/**
 * Returns the progress of each location, in the order in which the newest results meet them.
 * @param newest newest results of the check, the newest last
 * @param needed successes in a row that end a failure at a location
 */
export function progressOf(
  newest: readonly { locationId: string; status: Result["status"] }[],
  needed: number,
): Progress[] {
  const inARow = new Map<string, number>();
  for (const { locationId, status } of newest)
    inARow.set(locationId, status === "success" ? (inARow.get(locationId) ?? 0) + 1 : 0);
  return [...inARow].map(([locationId, count]) => ({ locationId, successes: Math.min(count, needed) }));
}
