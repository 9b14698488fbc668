import type { CheckId } from "@svc/contract";
import { expect, it } from "vitest";
import { nearestAbove } from "./nearest-above.ts";

it.each<[string, Record<string, string[]>, number, string[]]>([
  ["none", {}, 9, []],
  ["the nearest first", { a: ["b", "c"], b: ["d"], d: ["e"] }, 9, ["b", "c", "d", "e"]],
  ["two ways to one, once", { a: ["b", "c"], b: ["d"], c: ["d"] }, 9, ["b", "c", "d"]],
  ["exactly as many as may be", { a: ["b"], b: ["c"] }, 2, ["b", "c"]],
  ["no more than that", { a: ["b"], b: ["c"], c: ["d"] }, 2, ["b", "c"]],
  ["a circle, without itself", { a: ["b"], b: ["a", "c"] }, 9, ["b", "c"]],
])("%s", (_, edges, countMax, expected) => {
  const dependsOn = new Map(Object.entries(edges)) as unknown as Map<CheckId, CheckId[]>;
  expect(nearestAbove("a" as CheckId, dependsOn, countMax)).toEqual(expected);
});
