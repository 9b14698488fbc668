import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Due, DueHeap } from "./due-heap.ts";

function drain(heap: DueHeap<Due>): number[] {
  const found: number[] = [];
  for (let item = heap.peek(); item !== undefined; item = heap.peek()) {
    found.push(item.dueMs);
    heap.remove(item);
  }
  return found;
}

describe("the heap of due items", () => {
  it("gives the earliest first, whatever was put, moved and removed before", () => {
    const operations = fc.array(
      fc.record({ kind: fc.constantFrom("put", "move", "remove"), at: fc.nat(1000), pick: fc.nat(50) }),
    );
    fc.assert(
      fc.property(operations, (steps) => {
        const heap = new DueHeap<Due>();
        const inside: Due[] = [];
        for (const { kind, at, pick } of steps) {
          const item = inside[pick % Math.max(1, inside.length)];
          if (kind === "put" || item === undefined) {
            const added = { dueMs: at, heapIndex: -1 };
            heap.put(added);
            inside.push(added);
          } else if (kind === "move") {
            item.dueMs = at;
            heap.put(item);
          } else {
            heap.remove(item);
            inside.splice(inside.indexOf(item), 1);
          }
        }
        const expected = inside.map(({ dueMs }) => dueMs).sort((a, b) => a - b);
        expect(drain(heap)).toEqual(expected);
      }),
    );
  });

  it("ignores the removal of an item that is not in it", () => {
    const heap = new DueHeap<Due>();
    heap.remove({ dueMs: 1, heapIndex: -1 });
    expect(heap.size).toBe(0);
  });
});
