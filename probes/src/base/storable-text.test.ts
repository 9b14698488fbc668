import { describe, expect, it } from "vitest";
import { valuePreview } from "./storable-text.ts";

describe("valuePreview", () => {
  it.each<[string, unknown]>([
    ["a small object", { a: [1, null, "x"], b: { c: true } }],
    ["an empty array", []],
    ["an empty object", {}],
    ["a string", "text"],
    ["null", null],
  ])("shows %s as it is", (_, value) => {
    expect(valuePreview(value)).toEqual(value);
  });

  it("shows the beginning of the JSON of a large value", () => {
    const value = { items: Array.from({ length: 1_000 }, (_, index) => index), rest: "y" };
    expect(valuePreview(value)).toBe(`${JSON.stringify(value).slice(0, 500)}...`);
  });

  it("shows the beginning of a value that nests deeper than the stack", () => {
    const value: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
    expect(valuePreview(value)).toBe(`${"[".repeat(500)}...`);
  });

  it("replaces what can't be stored", () => {
    expect(valuePreview({ a: "x\u0000y", b: "\ud800" })).toEqual({ a: "x\ufffdy", b: "\ufffd" });
  });
});
