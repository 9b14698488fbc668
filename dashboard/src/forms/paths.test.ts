import { expect, it } from "vitest";
import { pathOfText, pathText, valueAt, withValueAt } from "./paths.ts";

it("a value is put where its path says, and everything else stays", () => {
  const draft = { a: [{ b: 1 }], c: 2 };
  expect(withValueAt(draft, ["a", 0, "b"], 3)).toEqual({ a: [{ b: 3 }], c: 2 });
  expect(withValueAt(draft, ["d", "e"], 4)).toEqual({ a: [{ b: 1 }], c: 2, d: { e: 4 } });
  expect(withValueAt(draft, ["a", 1], 5)).toEqual({ a: [{ b: 1 }, 5], c: 2 });
  expect(draft).toEqual({ a: [{ b: 1 }], c: 2 });
});

it("undefined takes a field away", () => {
  expect(withValueAt({ a: { b: 1, c: 2 } }, ["a", "b"], undefined)).toEqual({ a: { c: 2 } });
});

it("what is not there is undefined, also where an object has it by birth", () => {
  expect(valueAt({ a: [1] }, ["a", 1])).toBeUndefined();
  expect(valueAt({ a: 1 }, ["a", "b", "c"])).toBeUndefined();
  expect(valueAt({}, ["constructor"])).toBeUndefined();
});

it.each([[["httpConfig", "assertions", 0, "value"]], [["name"]], [[]]])(
  "the path %j is read as it is written",
  (path) => expect(pathOfText(pathText(path))).toEqual(path),
);
