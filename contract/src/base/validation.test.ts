import { describe, expect, it } from "vitest";
import * as z from "zod";
import { DomainError } from "./errors.ts";
import { closedObject } from "./objects.ts";
import { NESTING_MAX } from "./unstorable-text.ts";
import { parseInput, parseOrInvalid } from "./validation.ts";

const schema = closedObject({
  name: z.string(),
  tags: z.array(closedObject({ key: z.string().min(2, "too short") })).optional(),
  any: z.unknown().optional(),
});

function detailsOf(input: unknown) {
  const parsed = parseInput(schema, input);
  return parsed.success ? undefined : parsed.details;
}

describe("messages stand under their top-level field", () => {
  it.each([
    [
      "a deep one begins with its path",
      { name: "a", tags: [{ key: "ok" }, { key: "x" }] },
      { tags: ["tags[1].key: too short"] },
    ],
    [
      "an unknown deep field is named with its object",
      { name: "a", tags: [{ key: "ok", kee: 1 }] },
      { tags: ['tags[0]: unknown field "kee"; did you mean "key"?'] },
    ],
    [
      "unknown fields stand under their own names",
      { name: "a", nmae: 1, "tags; unknown field": 2 },
      {
        nmae: ['unknown field "nmae"; did you mean "name"?'],
        "tags; unknown field": ['unknown field "tags; unknown field"; known fields: name, tags, any'],
      },
    ],
    [
      "an unknown field named like a property of every object",
      { name: "a", constructor: 1 },
      { constructor: ['unknown field "constructor"; known fields: name, tags, any'] },
    ],
  ])("%s", (_name, input, fieldErrors) => {
    expect(detailsOf(input)).toEqual({ fieldErrors, formErrors: [] });
  });

  it.each([
    ["an array", [], "expected an object, got an array"],
    ["null", null, "expected an object, got null"],
    ["a text", "x", "expected an object, got a string"],
    ["nothing", undefined, "required"],
  ])("%s in place of the object is a form error", (_name, input, message) => {
    expect(detailsOf(input)).toEqual({ fieldErrors: {}, formErrors: [message] });
  });
});

describe("text that can't be stored", () => {
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`);
  it.each([
    ["NUL in a text", { name: "a\0b" }, "name"],
    ["half a surrogate pair", { name: "a", any: { deep: ["\ud800"] } }, "any"],
    ["NUL in a key", { name: "a", any: { "a\0": 1 } }, "any"],
    ["too many levels", { name: "a", any: nested(NESTING_MAX) }, "any"],
    ["a hundred thousand levels", { name: "a", any: nested(100_000) }, "any"],
  ])("%s is refused under its field", (_name, input, field) => {
    expect(Object.keys(detailsOf(input)?.fieldErrors ?? {})).toEqual([field]);
  });

  it("emoji, line breaks and many levels are fine", () => {
    expect(detailsOf({ name: "🔑\n\u2028", any: nested(NESTING_MAX - 1) })).toBeUndefined();
  });
});

it("parseOrInvalid throws an error with the envelope's details", () => {
  const act = () => parseOrInvalid(schema, { name: 5 });
  expect(act).toThrow(DomainError);
  expect(act).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: "Validation failed",
      details: { fieldErrors: { name: ["expected a string, got a number"] }, formErrors: [] },
    }),
  );
});
