import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CheckId, newId } from "./ids.ts";
import {
  FREQUENCY_SECONDS_MAX,
  FREQUENCY_SECONDS_MIN,
  isSlot,
  phaseMs,
  slotAtOrAfter,
  staggerMs,
} from "./slot-grid.ts";

const frequencies = fc.integer({ min: FREQUENCY_SECONDS_MIN, max: FREQUENCY_SECONDS_MAX });
const instants = fc.integer({ min: 0, max: 4_102_444_800_000 });
const checkIds = fc.string({ minLength: 1, maxLength: 40 }).map((text) => text as CheckId);

describe("the slot grid", () => {
  it("the phase lies within the period and never changes", () => {
    fc.assert(
      fc.property(checkIds, frequencies, (checkId, frequencySeconds) => {
        const phase = phaseMs(checkId, frequencySeconds);
        expect(Number.isInteger(phase)).toBe(true);
        expect(phase).toBeGreaterThanOrEqual(0);
        expect(phase).toBeLessThan(frequencySeconds * 1000);
        expect(phaseMs(checkId, frequencySeconds)).toBe(phase);
      }),
    );
  });

  it("the next slot is a slot, not before the instant, and less than a period after it", () => {
    fc.assert(
      fc.property(checkIds, frequencies, instants, (checkId, frequencySeconds, fromMs) => {
        const periodMs = frequencySeconds * 1000;
        const phase = phaseMs(checkId, frequencySeconds);
        const slotMs = slotAtOrAfter(fromMs, periodMs, phase);
        expect(isSlot(slotMs, periodMs, phase)).toBe(true);
        expect(slotMs - fromMs).toBeGreaterThanOrEqual(0);
        expect(slotMs - fromMs).toBeLessThan(periodMs);
      }),
    );
  });

  it("the next slot at a slot is that slot, and one ms later it is the following slot", () => {
    fc.assert(
      fc.property(checkIds, frequencies, instants, (checkId, frequencySeconds, fromMs) => {
        const periodMs = frequencySeconds * 1000;
        const phase = phaseMs(checkId, frequencySeconds);
        const slotMs = slotAtOrAfter(fromMs, periodMs, phase);
        expect(slotAtOrAfter(slotMs, periodMs, phase)).toBe(slotMs);
        expect(slotAtOrAfter(slotMs + 1, periodMs, phase)).toBe(slotMs + periodMs);
      }),
    );
  });

  it("checks created at one moment are spread over the period: no tenth of it has twice its share", () => {
    const tenths = new Array<number>(10).fill(0);
    for (let i = 0; i < 5_000; i++) {
      const tenth = Math.floor(phaseMs(newId("check"), 60) / 6_000);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(Math.max(...tenths)).toBeLessThan(1_000);
    expect(Math.min(...tenths)).toBeGreaterThan(250);
  });

  it("known values never change: stored slots and running agents depend on them", () => {
    expect(phaseMs("chk_01h455vb4pex5vsknk084sn02q" as CheckId, 60)).toMatchInlineSnapshot(`35229`);
    expect(phaseMs("chk_01h455vb4pex5vsknk084sn02q" as CheckId, 86_400)).toMatchInlineSnapshot(`44915229`);
  });
});

describe("the stagger of locations", () => {
  it("starts at 0, rises evenly and stays within the period", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), frequencies, (count, frequencySeconds) => {
        const periodMs = frequencySeconds * 1000;
        const staggers = Array.from({ length: count }, (_, i) => staggerMs(i, count, periodMs));
        expect(staggers[0]).toBe(0);
        expect(staggers.at(-1)).toBeLessThan(periodMs);
        for (const [i, stagger] of staggers.entries())
          expect(Math.abs(stagger - (i * periodMs) / count)).toBeLessThan(1);
      }),
    );
  });
});
