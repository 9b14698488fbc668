import { HOUR_MS } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { joinedSpans, piecesOf, without } from "./span-pieces.ts";

describe("pieces of time", () => {
  const minutes = (n: number) => n * 60_000;
  const shown = (pieces: ReturnType<typeof piecesOf>) =>
    pieces.map(({ bucketSeconds, fromMs, toMs, isSubtracted }) => [
      bucketSeconds,
      fromMs / 60_000,
      toMs / 60_000,
      ...(isSubtracted ? ["subtracted"] : []),
    ]);

  test.each([
    ["nothing computed", 1, 200, 0, 0, [[null, 1, 200]]],
    [
      "edges, buckets, hours and the open end",
      1,
      193,
      0,
      185,
      [
        [null, 1, 5],
        [300, 5, 60],
        [3600, 60, 180],
        [300, 180, 185],
        [null, 185, 193],
      ],
    ],
    ["whole hours", 60, 180, 0, 600, [[3600, 60, 180]]],
    ["within a bucket", 61, 64, 0, 600, [[null, 61, 64]]],
    ["across a bucket's edge", 63, 67, 0, 600, [[null, 63, 67]]],
    [
      "time that was not counted yet comes from results",
      10,
      120,
      60,
      600,
      [
        [null, 10, 60],
        [3600, 60, 120],
      ],
    ],
    ["nothing at all", 5, 5, 0, 600, []],
  ])("%s", (_title, from, to, rolledFrom, rolledTo, expected) => {
    const span = { fromMs: minutes(from), toMs: minutes(to) };
    const rolledUp = { fromMs: minutes(rolledFrom), toMs: minutes(rolledTo), bucketsFromMs: 0 };
    expect(shown(piecesOf(span, rolledUp))).toEqual(expected);
  });

  it("parts of hours of which the five minutes are gone come from results", () => {
    const pieces = (from: number, to: number, bucketsFrom: number) =>
      shown(
        piecesOf(
          { fromMs: minutes(from), toMs: minutes(to) },
          { fromMs: 0, toMs: minutes(600), bucketsFromMs: minutes(bucketsFrom) },
        ),
      );
    expect(pieces(37, 193, 120)).toEqual([
      [null, 37, 60],
      [3600, 60, 180],
      [300, 180, 190],
      [null, 190, 193],
    ]);
    expect(pieces(37, 193, 240)).toEqual([
      [null, 37, 60],
      [3600, 60, 180],
      [null, 180, 193],
    ]);
  });

  it("the longer part of such an hour is the hour without the rest", () => {
    const span = (from: number, to: number, rolledUp: object = {}) =>
      shown(
        piecesOf(
          { fromMs: minutes(from), toMs: minutes(to) },
          { fromMs: 0, toMs: minutes(600), bucketsFromMs: minutes(600), ...rolledUp },
        ),
      );
    expect(span(7, 233)).toEqual([
      [3600, 0, 240],
      [null, 0, 7, "subtracted"],
      [null, 233, 240, "subtracted"],
    ]);
    // Of time that is not rolled up there is no hour, and a part of one hour alone is short.
    expect(span(7, 233, { fromMs: minutes(5), toMs: minutes(235) })).toEqual([
      [null, 7, 60],
      [3600, 60, 180],
      [null, 180, 233],
    ]);
    expect(span(2, 58)).toEqual([[null, 2, 58]]);
  });

  it("cover exactly the time that is not held, each instant once", () => {
    const minute = fc.integer({ min: 0, max: 400 });
    const span = fc.tuple(minute, minute).map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) }));
    fc.assert(
      fc.property(
        span,
        fc.array(span, { maxLength: 5 }),
        span,
        fc.nat(7),
        (asked, held, rolled, firstHour) => {
          const inMs = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
            fromMs: minutes(fromMs),
            toMs: minutes(toMs),
          });
          const rolledUp = {
            fromMs: minutes(rolled.fromMs - (rolled.fromMs % 5)),
            toMs: minutes(rolled.toMs - (rolled.toMs % 5)),
            bucketsFromMs: minutes(60 * firstHour),
          };
          const pieces = without(inMs(asked), held.map(inMs)).flatMap((rest) => piecesOf(rest, rolledUp));
          for (let m = 0; m <= 400; m++) {
            const at = minutes(m);
            const covers = pieces.filter(({ fromMs, toMs }) => fromMs <= at && at < toMs);
            const isHeld = held.some(({ fromMs, toMs }) => fromMs <= m && m < toMs);
            const times = covers.reduce((sum, { isSubtracted }) => sum + (isSubtracted ? -1 : 1), 0);
            expect(times).toBe(asked.fromMs <= m && m < asked.toMs && !isHeld ? 1 : 0);
            for (const { bucketSeconds, fromMs, toMs } of covers) {
              if (bucketSeconds === null) continue;
              expect([fromMs % (bucketSeconds * 1_000), toMs % (bucketSeconds * 1_000)]).toEqual([0, 0]);
              expect(fromMs >= rolledUp.fromMs && toMs <= rolledUp.toMs).toBe(true);
              if (bucketSeconds === 300) expect(fromMs).toBeGreaterThanOrEqual(rolledUp.bucketsFromMs);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

test("spans are joined into a few that contain them all and lie apart", () => {
  const hour = fc.nat({ max: 5_000 });
  const span = fc
    .tuple(hour, fc.nat(3))
    .map(([at, length]) => ({ fromMs: at * HOUR_MS, toMs: (at + length + 1) * HOUR_MS }));
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 60 }), (spans) => {
      const joined = joinedSpans(spans);
      expect(joined.length).toBeLessThanOrEqual(16);
      for (const { fromMs, toMs } of spans)
        expect(joined.filter((one) => one.fromMs <= fromMs && toMs <= one.toMs)).toHaveLength(1);
      for (const [i, { fromMs, toMs }] of joined.entries()) {
        expect(spans.some((one) => one.fromMs === fromMs) && spans.some((one) => one.toMs === toMs)).toBe(
          true,
        );
        if (i > 0) expect(fromMs - (joined[i - 1]?.toMs ?? 0)).toBeGreaterThanOrEqual(6 * HOUR_MS);
      }
    }),
  );
  const eachDay = Array.from({ length: 30 }, (_, day) => ({
    fromMs: 24 * day * HOUR_MS,
    toMs: (24 * day + 1) * HOUR_MS,
  }));
  expect(joinedSpans(eachDay)).toHaveLength(16);
  expect(joinedSpans([0, 10, 30].map((at) => ({ fromMs: at * HOUR_MS, toMs: (at + 5) * HOUR_MS })))).toEqual([
    { fromMs: 0, toMs: 15 * HOUR_MS },
    { fromMs: 30 * HOUR_MS, toMs: 35 * HOUR_MS },
  ]);
});
