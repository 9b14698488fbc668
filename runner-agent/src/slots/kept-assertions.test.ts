import { expect, it } from "vitest";
import { KeptAssertions } from "./kept-assertions.ts";
import type { DueSlot } from "./slot-schedule.ts";

const HOUR_MS = 3_600_000;
const slotAt = (slotMs: number, overrides: Partial<DueSlot> = {}): DueSlot =>
  ({
    check: { checkKey: 0 },
    locationKey: 1,
    checkLocationId: "0/1",
    slotMs,
    dueMs: slotMs,
    beginByMs: slotMs + 30_000,
    isDispatched: false,
    ...overrides,
  }) as DueSlot;

/** Runs slots in their order. Returns those that keep the results of their assertions. */
function kept(runs: readonly { slot: DueSlot; isSuccess?: boolean }[]): number[] {
  const memory = new KeptAssertions();
  return runs.flatMap(({ slot, isSuccess = true }) => {
    const isKept = memory.isKept(slot);
    memory.note(slot, { isSuccess });
    return isKept && isSuccess ? [slot.slotMs] : [];
  });
}

it("one success of an hour, whichever comes first", () => {
  const runs = [0, 600_000, HOUR_MS - 1, HOUR_MS, HOUR_MS + 600_000].map((slotMs) => ({
    slot: slotAt(slotMs),
  }));
  expect(kept(runs)).toEqual([0, HOUR_MS]);
});

it("the first success after a failure, and no further one", () => {
  const runs = [1, 2, 3, 4, 5].map((slotMs) => ({ slot: slotAt(slotMs), isSuccess: slotMs !== 3 }));
  expect(kept(runs)).toEqual([1, 4]);
});

it("every dispatched run", () => {
  const runs = [1, 2, 3].map((slotMs) => ({ slot: slotAt(slotMs, { isDispatched: slotMs > 1 }) }));
  expect(kept(runs)).toEqual([1, 2, 3]);
});

it("each location for itself", () => {
  const runs = [1, 2].map((locationKey) => ({
    slot: slotAt(locationKey, { locationKey, checkLocationId: `0/${locationKey}` }),
  }));
  expect(kept(runs)).toEqual([1, 2]);
});
