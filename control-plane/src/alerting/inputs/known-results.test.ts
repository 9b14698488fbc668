import type { LocationId } from "@svc/contract";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isSuccess, type StoredResult } from "./judged-result.ts";
import { KnownResults } from "./known-results.ts";

const aResult = (locationKey: number, slotMs: number, isFailure: boolean): StoredResult => ({
  locationKey,
  slotMs,
  status: isFailure ? 2 : 1,
  runnerKey: 1,
  responseTimeUs: 10,
  dnsLookupUs: null,
  tlsHandshakeUs: null,
  ttfbUs: null,
  contentTransferUs: null,
  httpStatusCode: null,
  traceId: null,
});
const aLocation = (locationKey: number) => ({
  locationKey,
  locationId: `loc_${locationKey}` as LocationId,
  name: "",
  results: [],
});

/** Results of two locations in the order in which they come: mostly by age, some late, none twice. */
const resultsArb = fc
  .uniqueArray(fc.tuple(fc.constantFrom(1, 2), fc.nat(80), fc.boolean()), {
    selector: ([locationKey, slot]) => `${locationKey}:${slot}`,
    maxLength: 60,
  })
  .chain((rows) =>
    fc.array(fc.nat(9), { minLength: rows.length, maxLength: rows.length }).map((late) =>
      rows
        .map(([locationKey, slot, isFailure], i) => ({
          result: aResult(locationKey, slot, isFailure),
          comesAt: slot + (late[i] === 0 ? 20 : 0),
        }))
        .sort((a, b) => a.comesAt - b.comesAt)
        .map(({ result }) => result),
    ),
  );

const rowOf = (results: readonly StoredResult[], isIn: (one: StoredResult) => boolean) => {
  const end = results.findIndex((one) => !isIn(one));
  return end < 0 ? results.length : end;
};

it("counts what one would count by looking through all results, in whatever order they come", () => {
  fc.assert(
    fc.property(resultsArb, fc.integer({ min: 1, max: 12 }), (results, count) => {
      const known = new KnownResults([aLocation(1), aLocation(2)]);
      const added: StoredResult[] = [];
      for (const result of results) {
        const ofLocation = added.filter(({ locationKey }) => locationKey === result.locationKey);
        expect(known.add(result)).toBe(ofLocation.every(({ slotMs }) => slotMs < result.slotMs));
        added.push(result);
        const newestFirst = [...added].sort((a, b) => b.slotMs - a.slotMs || a.locationKey - b.locationKey);
        for (const location of known.locations) {
          const own = newestFirst.filter(({ locationKey }) => locationKey === location.locationKey);
          expect(location.results).toEqual(own);
          expect(location.failedInARow).toBe(rowOf(own, (one) => !isSuccess(one)));
          expect(location.succeededInARow).toBe(rowOf(own, isSuccess));
        }
        const { runs, failed, failures } = known.newestOfAll(count);
        const failing = newestFirst.slice(0, count).filter((one) => !isSuccess(one));
        expect([runs, failed]).toEqual([Math.min(count, added.length), failing.length]);
        expect(failures()).toEqual(failing);
      }
    }),
  );
});

it("holds as many results as it is asked to, and the newest success behind them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(1, 2), fc.boolean()), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      (rows, count) => {
        const all = new KnownResults([aLocation(1), aLocation(2)]);
        const held = new KnownResults([aLocation(1), aLocation(2)], {
          results: count,
          resultsOfAll: count,
          newestSuccess: true,
        });
        for (const [slotMs, [locationKey, isFailure]] of rows.entries()) {
          all.add(aResult(locationKey, slotMs, isFailure));
          held.add(aResult(locationKey, slotMs, isFailure));
          for (const [i, location] of held.locations.entries()) {
            const whole = all.locations[i];
            const newest = whole?.results.slice(0, count + 1) ?? [];
            expect(location.results.slice(0, count + 1)).toEqual(newest);
            expect(location.results.length).toBeLessThanOrEqual(count + 2);
            expect(location.results[location.failedInARow]).toEqual(whole?.results.find(isSuccess));
            expect(location.succeededInARow).toBe(Math.min(whole?.succeededInARow ?? 0, count + 1));
          }
          const [counted, wanted] = [held.newestOfAll(count), all.newestOfAll(count)];
          expect([counted.failed, counted.failures()]).toEqual([wanted.failed, wanted.failures()]);
        }
      },
    ),
  );
});

it("forgets what no condition can ask for, however many results are added", () => {
  const known = new KnownResults([aLocation(1)], { results: 10, resultsOfAll: 10, newestSuccess: false });
  for (let slotMs = 0; slotMs < 5_000; slotMs++) {
    known.add(aResult(1, slotMs, slotMs % 3 === 0));
    known.newestOfAll(10);
  }
  expect(known.locations[0]?.results).toHaveLength(11);
  expect(known.newestOfAll(10_000).runs).toBeLessThan(1_100);
});

it("knows nothing of locations that the check does not have", () => {
  const known = new KnownResults([aLocation(1)]);
  expect(known.add(aResult(2, 5, true))).toBe(false);
  expect(known.newestOfAll(5)).toMatchObject({ runs: 0, failed: 0 });
});
