import { expect, it } from "vitest";
import { pathsOf, shapesOf } from "./shapes.ts";

const at = "1970-01-01T00:00:00.500Z";

it.each([
  [{ worst: "success" }, ["success"]],
  [{ worst: "success", missing: { unknown: 1 } }, ["success", "missing"]],
  [{ worst: "failure", missing: { unknown: 1 } }, ["failure"]],
  [{ missing: { unknown: 1 } }, ["missing"]],
  [{ pending: 1 }, ["pending"]],
] as const)("%j is drawn as %j", (cell, shapes) => {
  expect(shapesOf({ at, expected: 1, received: 1, ...cell })).toEqual(shapes);
});

it("a cell stands at its instant, and all of one shape are one path", () => {
  const cell = { at, expected: 1, received: 1, worst: "success" } as const;
  const paths = pathsOf([cell, cell], { fromMs: 0, toMs: 1_000, cellMs: 100 });
  expect([...paths]).toEqual([["success", "M500 14h80V27h-80zM500 14h80V27h-80z"]]);
});
