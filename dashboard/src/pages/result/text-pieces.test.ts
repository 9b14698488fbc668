import { expect, it } from "vitest";
import { piecesOf } from "./text-pieces.ts";

const lines = (count: number, line: string) => Array.from({ length: count }, () => line).join("\n");

it.each([
  ["nothing", "", 1],
  ["one line", "{}", 1],
  ["many short lines", lines(3_000, '  "a": 1,'), 4],
  ["one line of 256 KiB", "x".repeat(262_144), 1],
  ["a long line between short ones", `{\n${"x".repeat(70_000)}\n}\n${lines(2_000, "12345678")}`, 4],
  ["a line break at its end", "a\n", 1],
])("%s: pieces of whole lines, which joined are the text", (_name, text, count) => {
  const pieces = piecesOf(text).map((piece) => piece.text);
  expect(pieces.join("\n")).toBe(text);
  expect(pieces).toHaveLength(count);
});

it("a text of any length has at most 4,000 pieces", () => {
  const text = lines(4_500, "x".repeat(8_192));
  const pieces = piecesOf(text).map((piece) => piece.text);
  expect(pieces).toHaveLength(4_000);
  expect(pieces.join("\n")).toBe(text);
});
