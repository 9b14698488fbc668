/** Missing slots are those of the spans that have no result, whatever lies between and beside them. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aResult, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import type { SlotSpan } from "./expected-slots.ts";
import { readMissing } from "./store.ts";

const PERIODS_MS = [1, 10_000, 60_000];

let test: TestApp;
let locationKeys: number[];
let originMs: number;
let checkKey = 1_000_000;

beforeAll(async () => {
  test = await createTestApp({ register: () => {} });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  locationKeys = await Promise.all(["loc_us_east", "loc_us_west"].map((id) => keyOfLocation(knex, id)));
  // The second location was retired 30 s after the first slot.
  originMs = test.clock.nowMs();
  await knex("locations")
    .where({ key: locationKeys[1] })
    .update({ status: "retired", statusChangedAt: new Date(originMs + 30_000).toISOString() });
});
afterAll(() => test.close());

const slotsOf = ({ firstSlotMs, lastSlotMs, periodMs }: SlotSpan) =>
  Array.from({ length: (lastSlotMs - firstSlotMs) / periodMs + 1 }, (_, i) => firstSlotMs + i * periodMs);

const spanArbitrary = fc.record({
  at: fc.integer({ min: 0, max: 1 }),
  periodMs: fc.constantFrom(...PERIODS_MS),
  offsetMs: fc.integer({ min: 0, max: 9_999 }),
  count: fc.integer({ min: 1, max: 30 }),
  staggerMs: fc.integer({ min: 0, max: 5_000 }),
});

it("as a comparison slot by slot finds them", async () => {
  const story = fc.record({
    spans: fc.array(spanArbitrary, { minLength: 1, maxLength: 4 }),
    // Which of the slots have a result, which a recorded reason, and which results lie beside the grid.
    received: fc.infiniteStream(fc.boolean()),
    recorded: fc.infiniteStream(fc.boolean()),
    beside: fc.array(fc.integer({ min: -70_000, max: 2_000_000 }), { maxLength: 10 }),
    limit: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(story, async ({ spans: wanted, received, recorded, beside, limit }) => {
      checkKey++;
      const spans = wanted.map(({ at, periodMs, offsetMs, count, staggerMs }) => ({
        locationKey: locationKeys[at] ?? 0,
        firstSlotMs: originMs + offsetMs,
        lastSlotMs: originMs + offsetMs + (count - 1) * periodMs,
        periodMs,
        staggerMs,
      }));
      const keyed = (locationKey: number, slotMs: number) => `${locationKey}:${slotMs}`;
      const results = new Map<string, { locationKey: number; slotMs: number }>();
      const reasons = new Map<string, { locationKey: number; slotMs: number }>();
      for (const span of spans)
        for (const slotMs of slotsOf(span)) {
          const slot = { locationKey: span.locationKey, slotMs };
          if (received.next().value) results.set(keyed(slot.locationKey, slotMs), slot);
          else if (recorded.next().value) reasons.set(keyed(slot.locationKey, slotMs), slot);
        }
      for (const afterMs of beside)
        for (const locationKey of locationKeys)
          results.set(keyed(locationKey, originMs + afterMs), { locationKey, slotMs: originMs + afterMs });
      const { knex } = test.services;
      await storeResults(
        knex,
        [...results.values()].map((slot) => aResult({ checkKey, ...slot })),
      );
      if (reasons.size > 0)
        await knex("missedSlots").insert(
          [...reasons.values()].map((slot) => ({ checkKey, ...slot, reason: "runner_oom" })),
        );
      const expected = spans.flatMap((span) =>
        slotsOf(span)
          .filter((slotMs) => !results.has(keyed(span.locationKey, slotMs)))
          .reverse()
          .slice(0, limit)
          .map((slotMs) => ({
            locationKey: span.locationKey,
            slotMs,
            dueMs: slotMs + span.staggerMs,
            recordedReason: reasons.has(keyed(span.locationKey, slotMs)) ? "runner_oom" : null,
            isAtRetired: span.locationKey === locationKeys[1] && slotMs + span.staggerMs >= originMs + 30_000,
          })),
      );
      const found = await readMissing(knex, checkKey, { spans, limit });
      const times = found.map(({ slotMs }) => slotMs);
      expect(times).toEqual([...times].sort((a, b) => b - a));
      const sorted = (slots: readonly object[]) => slots.map((slot) => JSON.stringify(slot)).sort();
      expect(sorted(found)).toEqual(sorted(expected));
    }),
    { numRuns: 60 },
  );
});
