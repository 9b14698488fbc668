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
  /** True: its counts are taken from those of the others. */
  isSubtracted: boolean;
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

/**
 * Returns the pieces of `span`, none of them empty, whose counts add up to that of the span: a part of an hour of which there are no five
 * minutes is counted by itself or, where that is the longer part, as the hour without the rest.
 */
export function piecesOf(span: Span, rolledUp: RolledUp): Piece[] {
  const { bucketsFromMs } = rolledUp;
  const hours = { fromMs: hourFrom(rolledUp.fromMs), toMs: hourOf(rolledUp.toMs) };
  const [first, last] = [hourOf(span.fromMs), hourFrom(span.toMs)];
  const hasHour = (fromMs: number) =>
    last - first > HOUR_MS &&
    fromMs < bucketsFromMs &&
    fromMs >= hours.fromMs &&
    fromMs + HOUR_MS <= hours.toMs;
  const begin = hasHour(first) && span.fromMs - first < HOUR_MS / 2;
  const end = hasHour(last - HOUR_MS) && last - span.toMs < HOUR_MS / 2;
  const widened = { fromMs: begin ? first : span.fromMs, toMs: end ? last : span.toMs };
  return [
    ...addedPieces(widened, rolledUp),
    ...present([
      { fromMs: widened.fromMs, toMs: span.fromMs, bucketSeconds: null, isSubtracted: true },
      { fromMs: span.toMs, toMs: widened.toMs, bucketSeconds: null, isSubtracted: true },
    ]),
  ];
}

function addedPieces(span: Span, rolledUp: RolledUp): Piece[] {
  const buckets = {
    fromMs: bucketFrom(Math.max(span.fromMs, rolledUp.fromMs), rolledUp.bucketsFromMs),
    toMs: bucketUntil(Math.min(span.toMs, rolledUp.toMs), rolledUp.bucketsFromMs),
  };
  const piece = (fromMs: number, toMs: number, bucketSeconds: Piece["bucketSeconds"]) => ({
    fromMs,
    toMs,
    bucketSeconds,
    isSubtracted: false,
  });
  if (buckets.fromMs >= buckets.toMs) return present([piece(span.fromMs, span.toMs, null)]);
  const hours = { fromMs: hourFrom(buckets.fromMs), toMs: hourOf(buckets.toMs) };
  const middle =
    hours.fromMs >= hours.toMs
      ? [piece(buckets.fromMs, buckets.toMs, 300)]
      : [
          piece(buckets.fromMs, hours.fromMs, 300),
          piece(hours.fromMs, hours.toMs, 3600),
          piece(hours.toMs, buckets.toMs, 300),
        ];
  return present([piece(span.fromMs, buckets.fromMs, null), ...middle, piece(buckets.toMs, span.toMs, null)]);
}

function hourFrom(ms: number): number {
  return Math.ceil(ms / HOUR_MS) * HOUR_MS;
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
  const widest = joined
    .map((_, i) => i)
    .slice(1)
    .sort((i, j) => gapBefore(j) - gapBefore(i));
  const begins = new Set(widest.slice(0, JOINED_MAX - 1));
  return joined.reduce<Span[]>((kept, span, i) => {
    const last = kept.at(-1);
    if (last && !begins.has(i)) last.toMs = span.toMs;
    else kept.push({ ...span });
    return kept;
  }, []);
}

function present(pieces: readonly Piece[]): Piece[] {
  return pieces.filter(({ fromMs, toMs }) => fromMs < toMs);
}
