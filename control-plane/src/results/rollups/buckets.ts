/** Buckets of the rollups: 5 minutes, and hours of twelve such buckets. */
import { HOUR_MS, MINUTE_MS } from "@svc/contract";

/** Length of a bucket of rollups, ms. */
export const BUCKET_MS = 5 * MINUTE_MS;

/** Returns the first instant of the 5 minute bucket of `ms`. */
export function bucketOf(ms: number): number {
  return Math.floor(ms / BUCKET_MS) * BUCKET_MS;
}

/** Returns the first instant of the UTC hour of `ms`. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}
