import { expect, it } from "vitest";
import { allParts, firstParts, keptOf } from "./all-parts.ts";

/** A list of the numbers below `count`, answered ten at a time. */
function listOf(count: number) {
  const cursors: (string | undefined)[] = [];
  const read = async (cursor: string | undefined) => {
    cursors.push(cursor);
    const from = Number(cursor ?? 0);
    const to = Math.min(from + 10, count);
    const numbers = Array.from({ length: to - from }, (_, i) => from + i);
    return { numbers, ...(to < count && { nextCursor: String(to) }) };
  };
  return { read, cursors };
}

it("all parts are every entry once, in order", async () => {
  const list = listOf(25);
  expect(await allParts(list.read, ({ numbers }) => numbers)).toEqual(
    Array.from({ length: 25 }, (_, i) => i),
  );
  expect(list.cursors).toEqual([undefined, "10", "20"]);
});

it.each([
  [1, 10, true],
  [2, 20, true],
  [3, 25, false],
  [9, 25, false],
])("the first %i parts are %i entries", async (count, length, hasMore) => {
  const list = listOf(25);
  const first = await firstParts(
    ({ cursor }) => list.read(cursor),
    ({ numbers }) => numbers,
    count,
  );
  expect([first.entries.length, first.hasMore]).toEqual([length, hasMore]);
});

it("what is shown stays while more of the same list is read", () => {
  const kept = keptOf({ state: "open" });
  expect(kept("before", { queryKey: ["alerts", { state: "open" }, 1] })).toBe("before");
  expect(kept("before", { queryKey: ["alerts", { state: "closed" }, 1] })).toBeUndefined();
  expect(kept(undefined, undefined)).toBeUndefined();
});
