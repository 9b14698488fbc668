import { type CheckId, DAY_MS, MINUTE_MS, newId } from "@svc/contract";
import fc from "fast-check";
import { expect, it } from "vitest";
import { expectedSlots, type SlotSpan } from "../results/coverage/expected-slots.ts";
import { BUCKET_MS } from "../results/rollups/buckets.ts";
import { wholeBuckets } from "./whole-buckets.ts";

const slotsOf = ({ firstSlotMs, lastSlotMs, periodMs }: SlotSpan) =>
  Array.from({ length: (lastSlotMs - firstSlotMs) / periodMs + 1 }, (_, i) => firstSlotMs + i * periodMs);

it("leaves out a bucket where the next schedule's first slot lies among this one's last", () => {
  const at = (minutes: number) => 100 * DAY_MS + minutes * MINUTE_MS;
  const span = (first: number, last: number, period: number): SlotSpan => ({
    locationKey: 1,
    firstSlotMs: at(first),
    lastSlotMs: at(last),
    periodMs: period * MINUTE_MS,
    staggerMs: 0,
  });
  const spans = [span(0, 27, 1), span(25, 60, 5)];
  expect(wholeBuckets(spans, at(1_000))).toEqual([
    { firstBucketMs: at(0), endBucketMs: at(25) },
    { firstBucketMs: at(30), endBucketMs: at(60) },
  ]);
  expect(wholeBuckets(spans, at(42))[1]).toEqual({ firstBucketMs: at(30), endBucketMs: at(40) });
  expect(wholeBuckets(spans, 0)[1]).toEqual({ firstBucketMs: at(30), endBucketMs: at(30) });
  const elsewhere = { ...span(25, 60, 5), locationKey: 2 };
  expect(wholeBuckets([span(0, 27, 1), elsewhere], at(1_000))[1]).toMatchObject({ firstBucketMs: at(25) });
});

it("finds buckets that hold slots of their span alone, whatever the schedules were", () => {
  const schedule = fc.record({
    frequencySeconds: fc.constantFrom(7, 60, 90, 300, 600, 3_600),
    locations: fc.integer({ min: 1, max: 5 }),
    lastedMs: fc.integer({ min: 1, max: 90 * MINUTE_MS }),
  });
  fc.assert(
    fc.property(fc.array(schedule, { minLength: 1, maxLength: 6 }), fc.nat(DAY_MS), (schedules, doneMs) => {
      const fromMs = 1_000 * DAY_MS + 12_345;
      let nowMs = fromMs;
      const inForce = schedules.map(({ frequencySeconds, locations, lastedMs }) => {
        const effectiveFromMs = nowMs;
        nowMs += lastedMs;
        const locationKeys = Array.from({ length: locations }, (_, i) => (i + schedules.length) % 5);
        return { frequencySeconds, locationKeys, enabled: true, effectiveFromMs, effectiveUntilMs: nowMs };
      });
      const spans = expectedSlots(newId("check") as CheckId, inForce, { fromMs, toMs: nowMs });
      const rolledUpUntilMs = fromMs + doneMs;
      const buckets = wholeBuckets(spans, rolledUpUntilMs);
      for (const [i, { firstBucketMs, endBucketMs }] of buckets.entries()) {
        if (firstBucketMs === endBucketMs) continue;
        const span = spans[i] as SlotSpan;
        expect([firstBucketMs % BUCKET_MS, endBucketMs % BUCKET_MS]).toEqual([0, 0]);
        expect(endBucketMs).toBeLessThanOrEqual(Math.min(rolledUpUntilMs, span.lastSlotMs + 1));
        expect(firstBucketMs).toBeGreaterThanOrEqual(span.firstSlotMs);
        const strangers = spans
          .filter((other) => other !== span && other.locationKey === span.locationKey)
          .flatMap(slotsOf)
          .filter((slotMs) => slotMs >= firstBucketMs && slotMs < endBucketMs);
        expect(strangers).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});
