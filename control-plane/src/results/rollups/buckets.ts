/** Buckets of the rollups: 5 minutes, and hours of twelve such buckets. */
import { HOUR_MS, MINUTE_MS } from "@svc/contract";

/** Length of a bucket of rollups, ms. */
export const BUCKET_MS = 5 * MINUTE_MS;

/** Returns the first instant of the 5 minute bucket of `ms`. */
export function bucketOf(ms: number): number {
  return Math.floor(ms / BUCKET_MS) * BUCKET_MS;
}

/**
 * Returns the first instant from `ms` on at which a bucket begins.
 * @param bucketsFromMs begin of the first day of which there are five minutes; before it, there are hours only. Unix ms
 */
export function bucketFrom(ms: number, bucketsFromMs: number): number {
  const lengthMs = ms < bucketsFromMs ? HOUR_MS : BUCKET_MS;
  return Math.ceil(ms / lengthMs) * lengthMs;
}

/** Returns the last instant up to `ms` at which a bucket ends, as {@link bucketFrom} does. */
export function bucketUntil(ms: number, bucketsFromMs: number): number {
  return ms < bucketsFromMs ? hourOf(ms) : bucketOf(ms);
}

/** Returns the first instant of the UTC hour of `ms`. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}
