import fc from "fast-check";
import { expect, it } from "vitest";
import { RecentSlots } from "./recent-slots.ts";

const KEEP_MS = 120_000;

it("remembers each slot for the shortest time at least, and for twice that at most", () => {
  let nowMs = 0;
  const recent = new RecentSlots(KEEP_MS, () => nowMs);
  expect(recent.add("1/1", 5)).toBe(true);
  nowMs = KEEP_MS;
  expect(recent.add("1/1", 5)).toBe(false);
  expect(recent.add("2/1", 5)).toBe(true);
  nowMs = 2 * KEEP_MS;
  expect(recent.add("1/1", 5)).toBe(true);
  expect(recent.add("2/1", 5)).toBe(false);
});

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom("add" as const, "delete" as const),
    id: fc.constantFrom("1/1", "1/2", "11/2"),
    slotMs: fc.integer({ min: 0, max: 60 }).map((index) => 1_790_000_000_007 + index * 7_000),
  }),
  { maxLength: 200 },
);

it("knows the slots that a set of all of them knows, however many a check location has", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const recent = new RecentSlots(KEEP_MS, () => 0);
      const all = new Set<string>();
      for (const { kind, id, slotMs } of taken) {
        const key = `${id}/${slotMs}`;
        if (kind === "add") expect(recent.add(id, slotMs)).toBe(!all.has(key));
        else recent.delete(id, slotMs);
        if (kind === "add") all.add(key);
        else all.delete(key);
      }
    }),
  );
});
