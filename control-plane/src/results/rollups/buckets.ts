/** Buckets of the rollups: 5 minutes, and the hours made of them. */
import { HOUR_MS } from "@svc/contract";

export const BUCKET_MS = 300_000;

/** First instant of the 5 minute bucket of `ms`. */
export function bucketOf(ms: number): number {
  return Math.floor(ms / BUCKET_MS) * BUCKET_MS;
}

/** First instant of the UTC hour of `ms`. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}
