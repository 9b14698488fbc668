/** Instants and lengths of time as people read them. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Returns an ISO 8601 instant as `2026-06-01 12:00:05 UTC`. */
export function readableInstant(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const UNITS = [
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
  [SECOND_MS, "s"],
] as const;

/** Returns a length of time by its two largest units that are not zero: `2 h 5 min`, `45 s`. Rounded to seconds. */
export function readableDuration(durationMs: number): string {
  let restMs = Math.max(0, Math.round(durationMs / SECOND_MS)) * SECOND_MS;
  const parts = UNITS.flatMap(([unitMs, unit]) => {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ") || "0 s";
}
