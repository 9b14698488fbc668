/** Times as people say them. */

const UNITS: readonly [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** `3m ago`, `in 2h`, `now`. @param instantMs and nowMs Unix ms */
export function relativeTime(instantMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - instantMs);
  const [unit, unitMs] = UNITS.find(([, ms]) => distanceMs >= ms) ?? ["s", 1_000];
  const count = Math.floor(distanceMs / unitMs);
  if (count === 0) return "now";
  return instantMs > nowMs ? `in ${count}${unit}` : `${count}${unit} ago`;
}

/** A whole number of seconds as `30s`, `5m`, `1h`: the largest unit that divides it. */
export function durationText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
