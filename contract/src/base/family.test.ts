import { expect, it } from "vitest";
import { defineFamily } from "./family.ts";

const a = { type: "a", size: 1 } as const;
const b = { type: "b", size: 2 } as const;

it("keeps the order of its members and finds each by its type", () => {
  const family = defineFamily("letter", [b, a]);
  expect(family.types).toEqual(["b", "a"]);
  expect([family.get("a"), family.find("b"), family.find("c")]).toEqual([a, b, undefined]);
});

it("names the family when a type is unknown", () => {
  expect(() => defineFamily("letter", [a]).get("c" as "a")).toThrow("no letter of type c");
});

it("refuses two members of one type and a family without members", () => {
  expect(() => defineFamily("letter", [a, a])).toThrow("two members");
  expect(() => defineFamily("letter", [])).toThrow("no members");
});

it("is extended without being changed", () => {
  const family = defineFamily("letter", [a]);
  expect(family.with(b).types).toEqual(["a", "b"]);
  expect(family.types).toEqual(["a"]);
});
