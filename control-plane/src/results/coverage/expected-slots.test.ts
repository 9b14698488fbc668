import { type CheckId, phaseMs, staggerMs } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dispatchedSlots,
  expectedSlots,
  type ScheduleInForce,
  type SlotSpan,
  slotCount,
  slotsWithin,
  spansWithin,
} from "./expected-slots.ts";

const CHECK_ID = "chk_01h455vb4pex5vsknk084sn02q" as CheckId;

function slotsOf(spans: readonly SlotSpan[]): string[] {
  return spans.flatMap((span) =>
    Array.from(
      { length: slotCount(span) },
      (_, i) => `${span.locationKey}@${span.firstSlotMs + i * span.periodMs}`,
    ),
  );
}

/** The definition, slot by slot. */
function bruteForce(schedules: readonly ScheduleInForce[], fromMs: number, toMs: number): Set<string> {
  const slots = new Set<string>();
  for (const { enabled, frequencySeconds, locationKeys, effectiveFromMs, effectiveUntilMs } of schedules) {
    const periodMs = frequencySeconds * 1000;
    const phase = phaseMs(CHECK_ID, frequencySeconds);
    const first = Math.floor(fromMs / periodMs - 2) * periodMs + phase;
    for (let slotMs = first; enabled && slotMs < toMs; slotMs += periodMs)
      for (const [index, locationKey] of locationKeys.entries()) {
        const dueMs = slotMs + staggerMs(index, locationKeys.length, periodMs);
        const isInForce = dueMs >= effectiveFromMs && dueMs < (effectiveUntilMs ?? Number.POSITIVE_INFINITY);
        if (isInForce && dueMs >= fromMs && dueMs < toMs) slots.add(`${locationKey}@${slotMs}`);
      }
  }
  return slots;
}

/** Schedules of a check that was changed at random instants of an hour. */
const histories = fc
  .array(
    fc.record({
      frequencySeconds: fc.constantFrom(10, 11, 60, 300, 3600),
      locationKeys: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      enabled: fc.boolean(),
      lengthMs: fc.oneof(fc.integer({ min: 0, max: 900_000 }), fc.integer({ min: 0, max: 2_000 })),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => {
    let atMs = 1_780_000_000_000;
    return parts.map(({ lengthMs, ...schedule }, i): ScheduleInForce => {
      const effectiveFromMs = atMs;
      atMs += lengthMs;
      return { ...schedule, effectiveFromMs, effectiveUntilMs: i === parts.length - 1 ? null : atMs };
    });
  });

describe("expectedSlots", () => {
  it("gives the slots of the definition, each once", () => {
    fc.assert(
      fc.property(
        histories,
        fc.integer({ min: -600_000, max: 3_600_000 }),
        fc.nat(3_600_000),
        (schedules, offsetMs, lengthMs) => {
          const fromMs = 1_780_000_000_000 + offsetMs;
          const slots = slotsOf(expectedSlots(CHECK_ID, schedules, { fromMs, toMs: fromMs + lengthMs }));
          expect(slots).toHaveLength(new Set(slots).size);
          expect(new Set(slots)).toEqual(bruteForce(schedules, fromMs, fromMs + lengthMs));
        },
      ),
      { numRuns: 300 },
    );
  });

  const always = (overrides: Partial<ScheduleInForce> = {}): ScheduleInForce => ({
    frequencySeconds: 60,
    locationKeys: [1],
    enabled: true,
    effectiveFromMs: 0,
    effectiveUntilMs: null,
    ...overrides,
  });
  const phase = phaseMs(CHECK_ID, 60);

  it.each([
    ["a range that begins with a slot has it", always(), phase, phase + 1, 1],
    ["a range that ends with a slot does not have it", always(), phase - 100, phase, 0],
    [
      "a slot due the ms its schedule begins belongs to it",
      always({ effectiveFromMs: phase }),
      0,
      phase + 1,
      1,
    ],
    ["a slot due the ms its schedule ends does not", always({ effectiveUntilMs: phase }), 0, phase + 1, 0],
    ["a disabled check has none", always({ enabled: false }), 0, 600_000, 0],
    ["a range that ends before it begins has none", always(), 600_000, 0, 0],
    [
      "a schedule that lasted no time has none",
      always({ effectiveFromMs: phase, effectiveUntilMs: phase }),
      0,
      600_000,
      0,
    ],
  ])("%s", (_name, schedule, fromMs, toMs, count) => {
    expect(slotsOf(expectedSlots(CHECK_ID, [schedule], { fromMs, toMs }))).toHaveLength(count);
  });

  it("a slot that a change of stagger makes due twice is one slot", () => {
    // Due at once as first location of one, and again half a minute later as second of two.
    const schedules = [
      always({ effectiveUntilMs: phase + 10 }),
      always({ effectiveFromMs: phase + 10, locationKeys: [2, 1] }),
    ];
    const slots = slotsOf(expectedSlots(CHECK_ID, schedules, { fromMs: 0, toMs: phase + 40_000 }));
    expect(slots).toEqual([`1@${phase}`]);
  });
});

it("a dispatched run is a slot of each of its locations, unless the grid has that slot", () => {
  const spans = expectedSlots(
    CHECK_ID,
    [{ frequencySeconds: 60, locationKeys: [1], enabled: true, effectiveFromMs: 0, effectiveUntilMs: null }],
    { fromMs: 0, toMs: 600_000 },
  );
  const onGrid = spans[0]?.firstSlotMs ?? 0;
  expect(
    slotsOf(
      dispatchedSlots(
        [
          { slotMs: onGrid, locationKeys: [1, 2] },
          { slotMs: 5, locationKeys: [1] },
        ],
        spans,
      ),
    ),
  ).toEqual([`2@${onGrid}`, "1@5"]);
});

it("spans that are cut to parts have just the slots that lie in these", () => {
  const instant = fc.integer({ min: 0, max: 60 });
  const spans = fc.array(
    fc.record({
      first: instant,
      count: fc.integer({ min: 1, max: 9 }),
      periodMs: fc.integer({ min: 1, max: 7 }),
    }),
    { maxLength: 4 },
  );
  const parts = fc.array(instant, { maxLength: 6 }).map((ends) => {
    const sorted = [...ends].sort((a, b) => a - b);
    return sorted.flatMap((fromMs, i) =>
      i % 2 === 0 && i + 1 < sorted.length ? [{ fromMs, toMs: sorted[i + 1] as number }] : [],
    );
  });
  fc.assert(
    fc.property(spans, parts, (drawn, within) => {
      const whole = drawn.map(({ first, count, periodMs }, locationKey) => ({
        locationKey,
        firstSlotMs: first,
        lastSlotMs: first + (count - 1) * periodMs,
        periodMs,
        staggerMs: 0,
      }));
      const cut = spansWithin(whole, within);
      const wanted = slotsOf(whole).filter((slot) => {
        const slotMs = Number(slot.split("@")[1]);
        return within.some(({ fromMs, toMs }) => slotMs >= fromMs && slotMs < toMs);
      });
      expect(slotsOf(cut).sort()).toEqual(wanted.sort());
      expect(slotsWithin(whole, within)).toBe(wanted.length);
    }),
  );
});
