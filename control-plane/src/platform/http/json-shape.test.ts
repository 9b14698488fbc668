import { describe, expect, it } from "vitest";
import { cpuGrowth } from "../../../test-support/cpu-growth.ts";
import { findShapeProblem } from "./json-shape.ts";

const limits = { levels: 4, items: 3, fields: 2, values: 10 };

describe("a text within its limits, or none that is JSON, has no problem", () => {
  it.each([
    ["null", "null"],
    ["a list of as many items as it may have", "[1,2,3]"],
    ["as many levels as there may be", "[[[[]]]]"],
    ["as many fields as there may be", '{"a":1,"b":2}'],
    ["brackets and commas in texts", '{"a":"[[[[[[[,,,,,,,{","b":"\\",,,,[[[[[["}'],
    ["a text that ends in a backslash", '["\\\\",2,3]'],
    ["no end", '{"a":"'],
    ["ends without beginnings", "]]]]}"],
    ["nothing", ""],
  ])("%s", (_title, text) => {
    expect(findShapeProblem(text, limits)).toBeUndefined();
  });
});

describe("the first limit that is exceeded is named with its field", () => {
  it.each([
    ["a list", "[1,2,3,4]", undefined, "holds a list of more than 3 items"],
    ["a list in a field", '{"a":1,"tags":[1,2,3,4]}', "tags", "holds a list of more than 3 items"],
    ["fields", '{"a":1,"b":2,"c":3}', "b", "holds an object of more than 2 fields"],
    ["levels", '{"a":{"x":[[[1]]]}}', "a", "nested deeper than 4 levels"],
    ["values", '{"a":[[1,2],[3,4],[5,6]]}', "a", "holds more than 10 values"],
  ])("%s", (_title, text, field, message) => {
    expect(findShapeProblem(text, limits)).toEqual({ field, message });
  });
});

it.each([
  ["backslashes", (length: number) => `["${"\\\\".repeat(length / 2)}"]`],
  ["quotes that are escaped", (length: number) => `["${'\\"'.repeat(length / 2)}"]`],
  ["short texts", (length: number) => `${'"a" '.repeat(length / 4)}`],
])("twice as many %s take at most 2.5 times as long", (_title, textOf) => {
  const prepare = (length: number) => {
    const text = textOf(length);
    return () => findShapeProblem(text, limits);
  };
  expect(cpuGrowth(prepare, 500_000)).toBeLessThan(2.5);
});
