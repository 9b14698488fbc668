import { type CheckHealth, isSuccessCode } from "@svc/contract";

/** Judges the health of a check from the number of the newest result's status at each location that has one. Pure. */
export function healthOfStatuses(statuses: readonly number[]): CheckHealth["health"] {
  if (statuses.length === 0) return "unknown";
  return statuses.every(isSuccessCode) ? "healthy" : "unhealthy";
}
