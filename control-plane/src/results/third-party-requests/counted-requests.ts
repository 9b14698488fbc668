/** Counted requests of third-party patterns, and how spans of time are summed from them. Pure. Instants in Unix ms. */
import { HOUR_MS, MINUTE_MS } from "@svc/contract";
import { hourOf } from "../rollups/buckets.ts";

/** Numbers of requests. */
export interface RequestCounts {
  total: number;
  /** Of total: answered without an error or a 5xx. */
  good: number;
}

/** Lengths of buckets: a minute and an hour. Each result counts in one of both. */
type BucketSeconds = 60 | 3600;

/** Requests that runs of a check made to the hosts of a pattern, in a bucket of their slots. */
export interface CountedRequests extends RequestCounts {
  bucketSeconds: BucketSeconds;
  patternKey: number;
  bucketMs: number;
  checkKey: number;
}

/** A span to sum, from whole buckets of one length. */
export interface RequestSpan {
  /** Index of the question, from 0. */
  question: number;
  patternKey: number;
  bucketSeconds: BucketSeconds;
  fromMs: number;
  toMs: number;
  /** Checks whose requests are subtracted; null: the requests of all checks are added. */
  checkKeys: readonly number[] | null;
}

/** Returns the first instant of the minute of `ms`. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

/** Returns the first whole minute at or after `ms`. */
export function minuteAfter(ms: number): number {
  return Math.ceil(ms / MINUTE_MS) * MINUTE_MS;
}

/** Returns a span of whole minutes as pieces of whole hours and of the minutes before and after them, none of them empty. */
export function bucketPiecesOf({
  fromMs,
  toMs,
}: {
  fromMs: number;
  toMs: number;
}): Pick<RequestSpan, "bucketSeconds" | "fromMs" | "toMs">[] {
  const hours = { fromMs: Math.ceil(fromMs / HOUR_MS) * HOUR_MS, toMs: hourOf(toMs) };
  if (hours.fromMs >= hours.toMs) return fromMs < toMs ? [{ bucketSeconds: 60, fromMs, toMs }] : [];
  return [
    { bucketSeconds: 60 as const, fromMs, toMs: hours.fromMs },
    { bucketSeconds: 3600 as const, ...hours },
    { bucketSeconds: 60 as const, fromMs: hours.toMs, toMs },
  ].filter((piece) => piece.fromMs < piece.toMs);
}
