import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ_INPUTS, FUZZ_TIMEOUT_MS } from "../../test-support/fuzz.ts";
import { JsonPathError, jsonPathSteps, valueAt } from "./json-path.ts";

describe("jsonPathSteps", () => {
  it.each([
    ["a", ["a"]],
    ["a.b.c", ["a", "b", "c"]],
    ["$", []],
    ["$.", []],
    ["$.a", ["a"]],
    ["$[0].id", [0, "id"]],
    ["$a", ["$a"]],
    ["$ref.x", ["$ref", "x"]],
    ["[0]", [0]],
    ["items[10].id", ["items", 10, "id"]],
    ["m[0][1]", ["m", 0, 1]],
    ['["a.b"]', ["a.b"]],
    ["x['a b'].c", ["x", "a b", "c"]],
    ['x["say \\"hi\\""]', ["x", 'say "hi"']],
    ['x["back\\\\slash"]', ["x", "back\\slash"]],
    ['x[""]', ["x", ""]],
    ['x["*"]', ["x", "*"]],
    ['x["[0]"]', ["x", "[0]"]],
    ["größe.naïve", ["größe", "naïve"]],
    ["a-b.c_d", ["a-b", "c_d"]],
    ["0", ["0"]],
  ])("reads %s", (path, steps) => {
    expect(jsonPathSteps(path)).toEqual(steps);
  });

  it.each([
    ["*", "wildcard"],
    ["a.*", "wildcard"],
    ["a[*].b", "wildcard"],
    ["a..b", "recursive descent"],
    ["$..a", "recursive descent"],
    ["a[0:2]", "slice"],
    ["a[:]", "slice"],
    ["a[?(@.x>1)]", "filter"],
    ["a[(@.length-1)]", "filter"],
    ["a[-1]", "negative index"],
    ["a[0,1]", "union"],
    ['a["x","y"]', "union"],
    ["a[b]", "[b]"],
    ["a[01]", "[01]"],
    ["a[", "not closed"],
    ['a["x', "not closed"],
    ["a]", "not quoted"],
    ["a b", "not quoted"],
    ["a.", "empty name"],
    [".a", "empty name"],
    ["a.[0]", "bracket after a dot"],
    ["$.[0]", "bracket after a dot"],
    ["a[0]b", "after a bracket"],
    ["", "empty path"],
  ])("refuses %s, naming: %s", (path, what) => {
    expect(() => jsonPathSteps(path)).toThrow(JsonPathError);
    expect(() => jsonPathSteps(path)).toThrow(what);
    expect(() => jsonPathSteps(path)).toThrow(/unsupported syntax/);
  });

  it(
    "either reads or refuses any text, and never anything else",
    () => {
      const pieces = fc.constantFrom(
        "a",
        ".",
        "..",
        "[",
        "]",
        '"',
        "'",
        "$",
        "*",
        "?",
        "0",
        "-1",
        ":",
        ",",
        "\\",
        " ",
      );
      const text = fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(pieces, { maxLength: 30 }).map((p) => p.join("")),
      );
      fc.assert(
        fc.property(text, fc.jsonValue(), (path, document) => {
          let steps: ReturnType<typeof jsonPathSteps>;
          try {
            steps = jsonPathSteps(path);
          } catch (error) {
            expect(error).toBeInstanceOf(JsonPathError);
            return;
          }
          valueAt(document, steps);
        }),
        { numRuns: FUZZ_INPUTS },
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  it("finds every value of any document by its quoted path", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        for (const [path, value] of paths(document, "$"))
          expect(valueAt(document, jsonPathSteps(path))).toEqual({ value });
      }),
      { numRuns: 300 },
    );
  });
});

function* paths(value: unknown, path: string): Generator<[string, unknown]> {
  yield [path, value];
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* paths(item, `${path}[${index}]`);
  else if (value !== null && typeof value === "object")
    for (const [key, item] of Object.entries(value))
      yield* paths(item, `${path}["${key.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"]`);
}

describe("valueAt", () => {
  const document = {
    a: { "b.c": [1, [2, null]], empty: [], text: "x", "": 0 },
    list: [{ id: "first" }],
    length: 3,
  };
  it.each<[string, { value: unknown } | undefined]>([
    ['a["b.c"][0]', { value: 1 }],
    ['a["b.c"][1][1]', { value: null }],
    ['a["b.c"][1][2]', undefined],
    ['a["b.c"][1][1].x', undefined],
    ["list[0].id", { value: "first" }],
    ["list[1]", undefined],
    ["list.0", undefined],
    ["list.length", undefined],
    ["a[0]", undefined],
    ["a.text[0]", undefined],
    ["a.text.length", undefined],
    ["a.toString", undefined],
    ["a.__proto__", undefined],
    ["a.empty", { value: [] }],
    ['a[""]', { value: 0 }],
    ["length", { value: 3 }],
    ["missing", undefined],
    ["$", { value: document }],
  ])("%s", (path, value) => {
    expect(valueAt(document, jsonPathSteps(path))).toEqual(value);
  });
});
