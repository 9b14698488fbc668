import { expect, test } from "vitest";
import { mixed, RowTable } from "./row-table.ts";

/** A table whose rows have these keys. */
function tableOf(keys: number[], hashOf: (key: number) => number) {
  const table = new RowTable((row) => hashOf(keys[row] as number));
  const find = (key: number) => table.find(hashOf(key), (row) => keys[row] === key);
  return { table, find };
}

test.each([
  ["well spread", (key: number) => mixed(0, key)],
  ["all equal", () => 7],
  ["at the end of the table", (key: number) => -1 - (key % 3)],
])("rows whose hashes are %s are found, and after removals only those that are left", (_name, hashOf) => {
  const keys = Array.from({ length: 500 }, (_, row) => row * 10);
  const { table, find } = tableOf(keys, hashOf);
  for (const row of keys.keys()) table.add(row);
  for (const row of keys.keys()) if (row % 3 !== 1) table.remove(row);
  table.remove(0);
  expect(table.size).toBe(Math.floor((500 + 1) / 3));
  expect(keys.map((key) => find(key))).toEqual(keys.map((_, row) => (row % 3 === 1 ? row : undefined)));
  expect(find(5)).toBeUndefined();
  for (const row of keys.keys()) if (row % 3 === 0) table.add(row);
  expect(keys.map((key) => find(key))).toEqual(keys.map((_, row) => (row % 3 === 2 ? undefined : row)));
});
