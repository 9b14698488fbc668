import { expect, it } from "vitest";
import { changedBetween } from "./changed-meanwhile.tsx";

it.each([
  [{ name: "a" }, { name: "b" }, ["Name"]],
  [{ name: "a" }, { name: "a", retry: { maxRetries: 1 } }, ["Retry"]],
  [{ httpConfig: { url: "a", body: "b" } }, { httpConfig: { url: "c", body: "b" } }, ["URL"]],
  [{ httpConfig: { assertions: [1] } }, { httpConfig: { assertions: [2] } }, ["Assertions"]],
  [{ locations: ["a"] }, { locations: ["b"] }, ["Locations"]],
  [{ name: "a" }, { name: "a" }, []],
])("between %j and %j %j has changed", (before, after, fields) => {
  expect(changedBetween(before, after)).toEqual(fields);
});
