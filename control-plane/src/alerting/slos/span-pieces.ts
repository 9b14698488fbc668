/**
 * Divides a span of time so that it is counted without reading its history: by whole hours and whole 5 minute buckets where
 * these are there, and by single results at the edges and at the open end. Pure. Spans are half-open, in Unix ms.
 */
import { HOUR_MS } from "@svc/contract";
import { bucketFrom, bucketUntil, hourOf } from "../../results/rollups/buckets.ts";

/** A half-open span of time, Unix ms: `toMs` is not included. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** A span with the source that it is counted from: rollups of so many seconds, or single results (null). */
export interface Piece extends Span {
  bucketSeconds: 300 | 3600 | null;
}

/** The span in which hours are computed, and five minutes from the begin of a day on. Unix ms. */
export interface RolledUp extends Span {
  bucketsFromMs: number;
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

/** Returns the pieces of `span` in order, none of them empty. */
export function piecesOf(span: Span, rolledUp: RolledUp): Piece[] {
  const buckets = {
    fromMs: bucketFrom(Math.max(span.fromMs, rolledUp.fromMs), rolledUp.bucketsFromMs),
    toMs: bucketUntil(Math.min(span.toMs, rolledUp.toMs), rolledUp.bucketsFromMs),
  };
  if (buckets.fromMs >= buckets.toMs) return present([{ ...span, bucketSeconds: null }]);
  const hours = { fromMs: Math.ceil(buckets.fromMs / HOUR_MS) * HOUR_MS, toMs: hourOf(buckets.toMs) };
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

/** Spans that are less than this apart count as one, since they lie in one partition or in neighbours. */
const JOINED_MS = 6 * HOUR_MS;
/** Most spans that stay apart. */
const JOINED_MAX = 16;

/** Returns a few spans that contain all of the given ones, in order: those that lie close together are joined, and those of the smallest gaps beyond that. */
export function joinedSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { fromMs, toMs } of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last && fromMs - last.toMs < JOINED_MS) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  const gapBefore = (i: number) => (joined[i] as Span).fromMs - (joined[i - 1] as Span).toMs;
  const gaps = joined.slice(1).map((_, i) => gapBefore(i + 1));
  const leastMs = gaps.sort((a, b) => b - a)[JOINED_MAX - 1] ?? 0;
  return joined.reduce<Span[]>((kept, span, i) => {
    const last = kept.at(-1);
    if (last && gapBefore(i) <= leastMs) last.toMs = span.toMs;
    else kept.push({ ...span });
    return kept;
  }, []);
}

function present(pieces: readonly Piece[]): Piece[] {
  return pieces.filter(({ fromMs, toMs }) => fromMs < toMs);
}
