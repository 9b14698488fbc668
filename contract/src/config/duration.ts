/** Durations as `svc.config.yaml` and the command line write them. */

const DURATION = /^(\d{1,9})(s|m|h|d)$/;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
type DurationUnit = keyof typeof SECONDS;

/** `90s`, `5m`, `1h`, `7d` in seconds; undefined for anything else. */
export function durationSeconds(text: string, units = "smh"): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined || !units.includes(unit)) return undefined;
  return Number(count) * SECONDS[unit as DurationUnit];
}
