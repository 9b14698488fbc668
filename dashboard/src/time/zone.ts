/** Days and times of the clock on the wall in a time zone. Pure. All instants are Unix ms. */

/** Returns the offset of a zone from UTC at an instant, ms. */
function offsetMs(atMs: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(atMs);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return wall - Math.floor(atMs / 1000) * 1000;
}

/**
 * Returns the instant at which the clock of a zone shows a time. A time that the clock jumps over, or shows twice, is read with the
 * offset before the change.
 * @param wallMs the time as if the zone were UTC
 */
export function instantOfWall(wallMs: number, zone: string): number {
  const DAY_MS = 86_400_000;
  const [before, after] = [offsetMs(wallMs - DAY_MS, zone), offsetMs(wallMs + DAY_MS, zone)];
  const byBefore = wallMs - before;
  return offsetMs(byBefore, zone) === before ? byBefore : wallMs - after;
}

/** Returns the beginning of the day that an instant belongs to. */
export function midnightMs(atMs: number, zone: string): number {
  const wallMs = atMs + offsetMs(atMs, zone);
  return instantOfWall(wallMs - (((wallMs % 86_400_000) + 86_400_000) % 86_400_000), zone);
}
