import { describe, expect, it } from "vitest";
import type { GivenBackSlot } from "../model/assignment.ts";
import { GiveBackQueue } from "./give-back-queue.ts";

const slot = (slotMs: number): GivenBackSlot => ({ checkKey: 1, locationKey: 1, slotMs, reason: "capacity" });

describe("slots to give back", () => {
  it("are taken once, oldest first", () => {
    const giveBacks = new GiveBackQueue(() => 0);
    for (const slotMs of [1, 2, 3]) giveBacks.add(slot(slotMs));
    expect(giveBacks.remove(2).map(({ slotMs }) => slotMs)).toEqual([1, 2]);
    expect(giveBacks.remove(2).map(({ slotMs }) => slotMs)).toEqual([3]);
    expect(giveBacks.remove(2)).toEqual([]);
  });

  it("sent just before the connection broke are sent again, those of before are not", () => {
    let nowMs = 0;
    const giveBacks = new GiveBackQueue(() => nowMs);
    for (const slotMs of [1, 2]) {
      giveBacks.add(slot(slotMs));
      giveBacks.remove(10);
      nowMs += 9000;
    }
    giveBacks.add(slot(3));
    giveBacks.connectionLost();
    expect(giveBacks.remove(10).map(({ slotMs }) => slotMs)).toEqual([2, 3]);
    nowMs += 20_000;
    giveBacks.connectionLost();
    expect(giveBacks.remove(10)).toEqual([]);
  });

  it("are bounded, the oldest being forgotten", () => {
    const giveBacks = new GiveBackQueue(() => 0);
    for (let slotMs = 1; slotMs <= 50_000; slotMs++) giveBacks.add(slot(slotMs));
    const kept = giveBacks.remove(100_000);
    expect(kept.length).toBeLessThanOrEqual(40_000);
    expect(kept.at(-1)?.slotMs).toBe(50_000);
  });
});
