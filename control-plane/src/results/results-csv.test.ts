import { expect, it } from "vitest";
import { csvCell } from "./results-csv.ts";

it.each([
  [null, ""],
  [-1.5, "-1.5"],
  ["plain", "plain"],
  ['a "b", c', '"a ""b"", c"'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1,2", '"\'\r=1,2"'],
])("%j is the cell %j", (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});
