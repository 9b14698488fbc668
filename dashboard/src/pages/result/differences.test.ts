import { expect, it } from "vitest";
import { bodyDifferences, headerDifferences } from "./differences.ts";

it("headers that came, went and changed are listed by name, whatever their case", () => {
  expect(
    headerDifferences({ Server: "a", "X-Old": "1", Same: "s" }, { server: "b", "x-new": "2", same: "s" }),
  ).toEqual([
    { name: "server", before: "a", now: "b" },
    { name: "x-new", before: undefined, now: "2" },
    { name: "x-old", before: "1", now: undefined },
  ]);
});

it("bodies are compared line by line", () => {
  expect(bodyDifferences("a\nb\nc\n", "a\nx\nc\n")).toEqual([
    { at: 0, kind: "same", text: "a\n" },
    { at: 1, kind: "removed", text: "b\n" },
    { at: 2, kind: "added", text: "x\n" },
    { at: 3, kind: "same", text: "c\n" },
  ]);
});

it("bodies of very many lines are not compared", () => {
  expect(bodyDifferences("a\n".repeat(2_001), "a")).toBeUndefined();
});
