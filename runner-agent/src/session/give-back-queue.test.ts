import { describe, expect, it } from "vitest";
import type { GivenBackSlot } from "../model/assignment.ts";
import { GiveBackQueue } from "./give-back-queue.ts";

const slot = (slotMs: number): GivenBackSlot => ({ checkKey: 1, locationKey: 1, slotMs, reason: "capacity" });

/** A queue by a clock that is moved by hand. */
function aQueue({ isAcknowledged }: { isAcknowledged: boolean }) {
  const clock = { nowMs: 0 };
  const giveBacks = new GiveBackQueue(() => clock.nowMs);
  giveBacks.sessionBegan({ isAcknowledged });
  return { clock, giveBacks, next: (max: number) => slotsOf(giveBacks.nextMessage(max)) };
}

const slotsOf = (message: { slots: GivenBackSlot[] } | undefined) =>
  message?.slots.map(({ slotMs }) => slotMs);

describe("slots to give back", () => {
  it("are sent once, oldest first", () => {
    const { giveBacks, next } = aQueue({ isAcknowledged: true });
    for (const slotMs of [1, 2, 3]) giveBacks.add(slot(slotMs));
    expect([next(2), next(2), next(2)]).toEqual([[1, 2], [3], undefined]);
  });

  it("are sent again after a break until they are acknowledged", () => {
    const { clock, giveBacks, next } = aQueue({ isAcknowledged: true });
    const seqs = [1, 2].map((slotMs) => {
      giveBacks.add(slot(slotMs));
      clock.nowMs += 3_600_000;
      return giveBacks.nextMessage(10)?.seq ?? 0;
    });
    giveBacks.acknowledge(seqs[1] as number);
    expect(giveBacks.isEmpty).toBe(false);
    giveBacks.connectionLost();
    giveBacks.acknowledge(seqs[0] as number);
    giveBacks.add(slot(3));
    const again = giveBacks.nextMessage(10);
    expect(slotsOf(again)).toEqual([1, 3]);
    expect(seqs).not.toContain(again?.seq);
    for (const times of [1, 2]) {
      giveBacks.acknowledge(again?.seq ?? 0);
      expect(giveBacks.isEmpty, `acknowledged ${times} times`).toBe(true);
    }
    giveBacks.connectionLost();
    expect(next(10)).toBeUndefined();
  });

  it("sent just before a break are sent again where nothing is acknowledged, those of before are not", () => {
    const { clock, giveBacks, next } = aQueue({ isAcknowledged: false });
    for (const slotMs of [1, 2]) {
      giveBacks.add(slot(slotMs));
      next(10);
      expect(giveBacks.isEmpty).toBe(true);
      clock.nowMs += 9000;
    }
    giveBacks.add(slot(3));
    giveBacks.connectionLost();
    expect(next(10)).toEqual([2, 3]);
    clock.nowMs += 20_000;
    giveBacks.connectionLost();
    expect(next(10)).toBeUndefined();
  });

  it("are bounded, the oldest being forgotten, also those that nobody acknowledges", () => {
    const { giveBacks, next } = aQueue({ isAcknowledged: true });
    for (let slotMs = 1; slotMs <= 50_000; slotMs++) {
      giveBacks.add(slot(slotMs));
      if (slotMs % 2 === 0) next(1_000);
    }
    giveBacks.connectionLost();
    const kept = next(100_000) ?? [];
    expect(kept.length).toBeLessThanOrEqual(40_000);
    expect(kept.at(-1)).toBe(50_000);
    for (let slotMs = 1; slotMs <= 50_000; slotMs++) giveBacks.add(slot(slotMs));
    const waiting = next(100_000) ?? [];
    expect(waiting.length).toBeLessThanOrEqual(40_000);
    expect(waiting.at(-1)).toBe(50_000);
  });
});
