import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ_INPUTS, FUZZ_TIMEOUT_MS } from "../../../contract/test-support/fuzz.ts";
import { matchDirectly, searchSteps } from "./regex-direct.ts";

describe("matching on the spot", () => {
  it.each([
    ["^x+$", "xxx", "xxx"],
    ["^x+$", "xxy", null],
    ["ok", "all ok", "ok"],
    ["version: \\d+\\.\\d+", "version: 12.3", "version: 12.3"],
    ["[a-f\\]]{2,3}", "xx]abc", "]ab"],
    ["a.?c$", "abc ac", "ac"],
    ["\\$", "5 $", "$"],
    ["ü+", "grüün", "üü"],
    ["", "anything", ""],
  ])("finds with %s in %s what the engine finds", (pattern, text, found) => {
    expect(matchDirectly(pattern, text)).toBe(found);
  });

  it.each([
    "(a+)+$",
    "a|b",
    "a(?=b)",
    "(a)\\1",
    "\\bword",
    "\\u0061",
    "a{2",
    "*",
    "a**",
    "[b-a]",
    "^^",
    "x{1,2}{3}",
  ])("leaves %s to a thread that can be ended", (pattern) =>
    expect(matchDirectly(pattern, "a")).toBeUndefined(),
  );

  it.each([
    ["one repetition, anywhere", "a+b", 1_000],
    ["several repetitions from the beginning", "^a*a*a*$", 200],
    ["a plain word in a large text", "word", 1_000_000],
    ["a counted repetition of much", "^.{0,9999}.{0,9999}$", 5_000],
  ])("leaves to a thread what may take long: %s", (_name, pattern, length) => {
    expect(searchSteps(pattern, length)).toBeGreaterThan(100_000);
    expect(matchDirectly(pattern, "a".repeat(length))).toBeUndefined();
  });

  it("knows the number of steps beforehand", () => {
    expect(searchSteps("abc", 99)).toBe(400);
    expect(searchSteps("^abc", 99)).toBe(4);
    expect(searchSteps("^x+$", 10)).toBe(21);
  });

  it(
    "agrees with the engine on every pattern that it takes",
    () => {
      const atom = fc.constantFrom("a", "b", ".", "\\d", "\\.", "[ab]", "[^a]", "-", "1");
      const times = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "{1,}", "+?", "{", "(");
      const items = fc.array(
        fc.tuple(atom, times).map((parts) => parts.join("")),
        { maxLength: 5 },
      );
      const pattern = fc
        .tuple(fc.constantFrom("", "^"), items, fc.constantFrom("", "$"))
        .map(([start, middle, end]) => start + middle.join("") + end);
      const text = fc.array(fc.constantFrom("a", "b", "1", ".", "-"), { maxLength: 12 });
      fc.assert(
        fc.property(pattern, text, (source, letters) => {
          const found = matchDirectly(source, letters.join(""));
          if (found !== undefined) expect(found).toBe(new RegExp(source).exec(letters.join(""))?.[0] ?? null);
        }),
        { numRuns: FUZZ_INPUTS },
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
