import { expect, it } from "vitest";
import { Random } from "../histories/random.ts";
import { EventHeap } from "./event-heap.ts";

it("events leave the heap by their instants, those of one instant by their order", () => {
  const random = new Random(1);
  const heap = new EventHeap();
  const held: { atMs: number; order: number }[] = [];
  for (let round = 0; round < 2_000; round++) {
    if (random.chance(0.6)) {
      const event = { atMs: random.int(0, 50), order: round };
      heap.push(event);
      held.push(event);
    } else {
      held.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
      const next = held.shift();
      expect(heap.peek()).toBe(next);
      expect(heap.pop()).toBe(next);
    }
  }
  expect(held.length).toBeGreaterThan(100);
});
