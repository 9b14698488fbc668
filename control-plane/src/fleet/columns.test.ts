import { expect, test } from "vitest";
import { Uint48Column, withSpaceFor } from "./columns.ts";

test("a column keeps its entries when it grows", () => {
  let column = new Uint32Array(0);
  for (let row = 0; row < 1_000; row++) {
    column = withSpaceFor(column, row + 1);
    column[row] = row * 3;
  }
  expect([...column.subarray(0, 1_000)]).toEqual(Array.from({ length: 1_000 }, (_, row) => row * 3));
  expect(column.length).toBeLessThan(1_100);
});

test.each([0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1])("the number %d is returned as it was set", (value) => {
  const column = new Uint48Column();
  column.set(7, value);
  expect(column.get(7)).toBe(value);
});

test.each([-1, 0.5, 2 ** 48, Number.NaN])("the number %d is refused", (value) => {
  expect(() => new Uint48Column().set(0, value)).toThrow(RangeError);
});
