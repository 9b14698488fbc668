import { expect, it } from "vitest";
import { conditionText } from "./condition-text.ts";

it.each([
  [{ type: "made_up", count: 2 }, "made up (count 2)"],
  [{ type: "made_up", windowSeconds: 300, names: ["a", "b"] }, "made up (window seconds 300, names a, b)"],
  [{ type: "made_up", severity: null }, "made up"],
])("conditionText(%j)", (condition, expected) => {
  expect(conditionText(condition)).toBe(expected);
});
