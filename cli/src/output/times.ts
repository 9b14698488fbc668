/** Writes times and durations for people. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";

const UNITS: readonly [string, number][] = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["m", MINUTE_MS],
  ["s", 1_000],
];

/** Returns `3m ago`, `in 2h` or `now`. Both instants are in Unix ms. */
export function relativeTime(instantMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - instantMs);
  const [unit, unitMs] = UNITS.find(([, ms]) => distanceMs >= ms) ?? ["s", 1_000];
  const count = Math.floor(distanceMs / unitMs);
  if (count === 0) return "now";
  return instantMs > nowMs ? `in ${count}${unit}` : `${count}${unit} ago`;
}

/**
 * Returns how long ago an instant of the service was; `-` for none.
 * @param nowMs Unix ms
 */
export function ago(timestamp: string | null | undefined, nowMs: number): string {
  return timestamp == null ? "-" : relativeTime(Date.parse(timestamp), nowMs);
}

/**
 * Returns a duration in its two largest units: `45s`, `12m`, `3h 20m`, `2d 4h`.
 * @param ms 0 or more
 */
export function lengthText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`;
  return hours % 24 === 0 ? `${hours / 24}d` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** Returns `12.3 ms` or `1234 ms`; `-` for none. */
export function millisecondsText(ms: number | null | undefined): string {
  return ms == null ? "-" : `${ms < 100 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}
