/** Durations in the notation of `svc.config.yaml` and of the command line. */

const DURATION = /^(\d{1,9})(s|m|h|d)$/;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
type DurationUnit = keyof typeof SECONDS;

/**
 * Returns the seconds of a duration such as `90s`, `5m`, `1h` or `7d`; undefined for any other text.
 * @param units letters of the accepted units
 */
export function durationSeconds(text: string, units = "smh"): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined || !units.includes(unit)) return undefined;
  return Number(count) * SECONDS[unit as DurationUnit];
}

/** Returns a whole number of seconds as `30s`, `5m` or `1h`: in the largest unit that divides it. */
export function durationText(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
