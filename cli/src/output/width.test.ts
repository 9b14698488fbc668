import { expect, it } from "vitest";
import { columnsOf, cutStartTo, cutTo } from "./width.ts";

it.each([
  ["abcdef", 6, "abcdef", "abcdef"],
  ["abcdef", 4, "abc…", "…def"],
  ["日本語です", 6, "日本…", "…です"],
  ["a🚀b🚀", 4, "a🚀…", "…b🚀"],
  ["abc", 1, "…", "…"],
])(
  "%s in %i columns: an ellipsis stands for what is missing, no character is halved",
  (text, columns, start, end) => {
    expect([cutTo(text, columns), cutStartTo(text, columns)]).toEqual([start, end]);
    for (const cut of [start, end]) expect(columnsOf(cut)).toBeLessThanOrEqual(columns);
  },
);
