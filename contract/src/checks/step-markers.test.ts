import { describe, expect, it } from "vitest";
import { findStepMarkers } from "./step-markers.ts";

describe("the lines that mark a step", () => {
  it.each<[string, string, string[]]>([
    ["a marker", "// @step: Log in", ["Log in"]],
    ["indented, without blanks", "  //@step:Log in  ", ["Log in"]],
    ["a mark within a name", "// @step: a // @step: b", ["a // @step: b"]],
    ["lines that end as on Windows", "// @step: a\r\n// @step: b\r\n", ["a", "b"]],
    ["without a name", "// @step:   \n// @step: b", ["b"]],
    ["behind a statement", "await x(); // @step: no", []],
    ["three slashes", "/// @step: no", []],
  ])("%s", (_, script, names) => {
    const markers = findStepMarkers(script);
    expect(markers.map(({ name }) => name)).toEqual(names);
    for (const { start, end, name } of markers) expect(script.slice(start, end)).toContain(name);
  });
});
