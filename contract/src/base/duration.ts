/** Durations in the notation of `svc.config.yaml` and of the command line. */

import * as z from "zod";

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

/** Returns the schema of a duration such as `90s`, `5m`, `1h` or `7d` with these bounds, in seconds. */
export function durationSchema({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .superRefine((text, context) => {
      const seconds = durationSeconds(text, "smhd");
      if (seconds === undefined)
        context.addIssue({
          code: "custom",
          message: `expected a duration like 30s, 5m, 1h or 7d; got "${text}"`,
        });
      else if (seconds < min || seconds > max)
        context.addIssue({
          code: "custom",
          message: `${text} is ${seconds} s; smallest is ${min} s, largest is ${max} s`,
        });
    })
    .meta({ examples: ["30s", "5m", "1h", "7d"], pattern: "^\\d+[smhd]$|\\$\\{|\\{\\{" });
}
