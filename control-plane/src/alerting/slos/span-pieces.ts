/**
 * Divides a span of time so that it is counted without reading its history: by whole hours and whole 5 minute buckets where
 * these are computed, and by single results at the edges and at the open end. Pure. Spans are half-open, in Unix ms.
 */
import { HOUR_MS } from "@svc/contract";
import { BUCKET_MS, bucketOf, hourOf } from "../../results/rollups/buckets.ts";

/** A half-open span of time, Unix ms: `toMs` is not included. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** A span with the source that it is counted from: rollups of so many seconds, or single results (null). */
export interface Piece extends Span {
  bucketSeconds: 300 | 3600 | null;
}

/** Returns the parts of `span` that lie in none of `held`, in order. `held` may overlap and come in any order. */
export function without(span: Span, held: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let fromMs = span.fromMs;
  for (const one of [...held].sort((a, b) => a.fromMs - b.fromMs)) {
    if (one.fromMs >= span.toMs) break;
    if (one.fromMs > fromMs) rest.push({ fromMs, toMs: one.fromMs });
    fromMs = Math.max(fromMs, one.toMs);
  }
  if (fromMs < span.toMs) rest.push({ fromMs, toMs: span.toMs });
  return rest;
}

/**
 * Returns the pieces of `span` in order, none of them empty.
 * @param rolledUp the span in which buckets are computed
 */
export function piecesOf(span: Span, rolledUp: Span): Piece[] {
  const buckets = {
    fromMs: roundUp(Math.max(span.fromMs, rolledUp.fromMs), BUCKET_MS),
    toMs: bucketOf(Math.min(span.toMs, rolledUp.toMs)),
  };
  if (buckets.fromMs >= buckets.toMs) return present([{ ...span, bucketSeconds: null }]);
  const hours = { fromMs: roundUp(buckets.fromMs, HOUR_MS), toMs: hourOf(buckets.toMs) };
  const middle: Piece[] =
    hours.fromMs >= hours.toMs
      ? [{ ...buckets, bucketSeconds: 300 }]
      : [
          { fromMs: buckets.fromMs, toMs: hours.fromMs, bucketSeconds: 300 },
          { ...hours, bucketSeconds: 3600 },
          { fromMs: hours.toMs, toMs: buckets.toMs, bucketSeconds: 300 },
        ];
  return present([
    { fromMs: span.fromMs, toMs: buckets.fromMs, bucketSeconds: null },
    ...middle,
    { fromMs: buckets.toMs, toMs: span.toMs, bucketSeconds: null },
  ]);
}

function present(pieces: readonly Piece[]): Piece[] {
  return pieces.filter(({ fromMs, toMs }) => fromMs < toMs);
}

function roundUp(ms: number, stepMs: number): number {
  return Math.ceil(ms / stepMs) * stepMs;
}
