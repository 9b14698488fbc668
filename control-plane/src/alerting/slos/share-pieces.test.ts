import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AskedPiece, sharePieces } from "./share-pieces.ts";
import { type Piece, piecesOf, type Span, without } from "./span-pieces.ts";

const common = { checkKey: 1, thresholdMs: null, locationKeys: [1] };

function asked(span: Span, question: number, other: Partial<AskedPiece> = {}): AskedPiece[] {
  return piecesOf(span, { fromMs: 0, toMs: Number.POSITIVE_INFINITY, bucketsFromMs: 0 }).map((piece) => ({
    ...piece,
    ...common,
    question,
    ...other,
  }));
}

/** Rows of hours and buckets that the pieces contain. */
function rowsOf(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, { fromMs, toMs, bucketSeconds }) =>
      sum + (bucketSeconds === null ? 0 : (toMs - fromMs) / 1_000 / bucketSeconds),
    0,
  );
}

/** The pieces in order, joined where one ends at the begin of the next of its source. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  const sourceOf = ({ bucketSeconds, isSubtracted }: Piece) => `${bucketSeconds} ${isSubtracted}`;
  const inOrder = [...pieces].sort((a, b) => sourceOf(a).localeCompare(sourceOf(b)) || a.fromMs - b.fromMs);
  for (const { fromMs, toMs, bucketSeconds, isSubtracted } of inOrder) {
    const last = all.at(-1);
    if (last?.toMs === fromMs && sourceOf(last) === sourceOf({ ...last, bucketSeconds, isSubtracted }))
      last.toMs = toMs;
    else all.push({ fromMs, toMs, bucketSeconds, isSubtracted });
  }
  return all;
}

describe("pieces that questions share", () => {
  it("of a status read each row of its longest span once, and of the others where they begin", () => {
    const nowMs = Date.UTC(2026, 2, 20, 14, 22, 33, 456);
    const spans = [30 * DAY_MS, DAY_MS, 6 * HOUR_MS, HOUR_MS].map((rangeMs) => ({
      fromMs: nowMs - rangeMs,
      toMs: nowMs,
    }));
    const alone = spans.map((span, question) => asked(span, question));
    const longest = rowsOf(alone[0] ?? []);
    expect(rowsOf(alone.flat())).toBe(longest + (7 + 23 + 4) + (7 + 5 + 4) + (7 + 4));
    // Seven buckets lie between 22:33 of an hour and its end; those of the longest span are among its own rows.
    expect(rowsOf(sharePieces(alone.flat()))).toBe(longest + 7 + 7 + 7);
  });

  it("contain what each question asked for, and no row twice", () => {
    const instant = fc.oneof(
      fc.integer({ min: 0, max: 10 * HOUR_MS }),
      fc.integer({ min: 0, max: 40 }).map((n) => n * 15 * MINUTE_MS),
    );
    const span = fc
      .tuple(instant, fc.oneof(instant, fc.constant(10 * HOUR_MS)))
      .map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) }));
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 8 }),
        fc.array(span, { maxLength: 4 }),
        span,
        fc.integer({ min: 0, max: 10 }),
        (questions, held, counted, firstHour) => {
          const rolledUp = { ...counted, bucketsFromMs: firstHour * HOUR_MS };
          const alone = questions.map((question) =>
            without(question, held).flatMap((rest) => piecesOf(rest, rolledUp)),
          );
          const shared = sharePieces(
            alone.flatMap((pieces, question) => pieces.map((piece) => ({ ...piece, ...common, question }))),
          );
          for (const [question, pieces] of alone.entries())
            expect(joined(shared.filter(({ questions: ones }) => ones.includes(question)))).toEqual(
              joined(pieces),
            );
          for (const source of [null, 300, 3_600]) {
            const ofSource = shared.filter(
              ({ bucketSeconds, isSubtracted }) => bucketSeconds === source && !isSubtracted,
            );
            for (const [index, { fromMs, toMs, questions: containing }] of ofSource.entries()) {
              expect(containing.length).toBeGreaterThan(0);
              expect(toMs).toBeGreaterThan(fromMs);
              if (source !== null)
                expect([fromMs % (source * 1_000), toMs % (source * 1_000)]).toEqual([0, 0]);
              expect(fromMs).toBeGreaterThanOrEqual(ofSource[index - 1]?.toMs ?? 0);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are whole where a window of no length divides a question", () => {
    const span = { fromMs: HOUR_MS, toMs: 4 * HOUR_MS };
    const instant = { fromMs: 2 * HOUR_MS, toMs: 2 * HOUR_MS };
    const divided = without(span, [instant]).flatMap((rest) => asked(rest, 0));
    expect(divided).toHaveLength(2);
    expect(joined(sharePieces(divided))).toMatchObject([{ ...span, bucketSeconds: 3_600 }]);
  });

  it("are none of other checks, thresholds or sources", () => {
    const span = { fromMs: HOUR_MS, toMs: 2 * HOUR_MS };
    const pieces = [
      ...asked(span, 0),
      ...asked(span, 1, { checkKey: 2 }),
      ...asked(span, 2, { thresholdMs: 100 }),
      ...asked(span, 3, { bucketSeconds: 300 }),
      ...asked(span, 4, { bucketSeconds: null }),
      ...asked(span, 5),
    ];
    expect(sharePieces(pieces).map(({ questions }) => questions)).toEqual([[0, 5], [1], [2], [3], [4]]);
  });
});
