/** Decides when a channel's quiet hours hold. Pure; time is given. */
import { type ChannelConfig, DAY_MS, instantOf, MINUTE_MS, type QuietHours, wallTimeOf } from "@svc/contract";

/** Returns the quiet hours of a channel object of any type; undefined when it has none. */
export function quietHoursOf(config: Partial<ChannelConfig>): QuietHours | undefined {
  return "quietHours" in config ? config.quietHours : undefined;
}

/**
 * Returns the end of the quiet hours that hold at an instant; undefined when none do. They begin and end when the zone's clocks show
 * the times: of a time that clocks show twice the first time, of one that is skipped as long after the change as the time is.
 * @param nowMs Unix ms
 * @returns Unix ms, later than `nowMs`
 */
export function quietUntil({ from, to, timezone }: QuietHours, nowMs: number): number | undefined {
  const today = Math.floor(wallTimeOf(nowMs, timezone) / DAY_MS) * DAY_MS;
  const fromMs = timeOfDayMs(from);
  const toMs = timeOfDayMs(to) + (to < from ? DAY_MS : 0);
  for (const day of [today - DAY_MS, today]) {
    const endsAtMs = instantOf(day + toMs, timezone);
    if (instantOf(day + fromMs, timezone) <= nowMs && nowMs < endsAtMs) return endsAtMs;
  }
  return undefined;
}

function timeOfDayMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}
