import { expect, it } from "vitest";
import { valueText } from "./changed-value.ts";

it.each([
  [undefined, "nothing"],
  [null, "nothing"],
  ["", "nothing"],
  [false, "false"],
  [0, "0"],
  ["Cart", "Cart"],
  [["loc_a", "loc_b"], "loc_a, loc_b"],
  [[], "nothing"],
  [[{ type: "body" }], '[{"type":"body"}]'],
  ["x".repeat(200), "x".repeat(200)],
  ["x".repeat(201), `${"x".repeat(200)} …`],
])("the value %j of a field is shown as %s", (value, text) => {
  expect(valueText(value)).toBe(text);
});
