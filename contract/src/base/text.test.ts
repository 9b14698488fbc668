import { describe, expect, it } from "vitest";
import {
  counted,
  excerpt,
  firstCharacters,
  listed,
  oneLine,
  percentDecoded,
  truncate,
  withoutLineBreaks,
} from "./text.ts";

it("runs of white space and control characters become one space, and none at the ends", () => {
  expect(oneLine("\n a\tb \r\n\u0000c\u2028d\u0085\n")).toBe("a b c d");
});

it("runs of line breaks and control characters become one space, and two spaces stay two", () => {
  expect(withoutLineBreaks("\n a  b \r\n\u0000c\u2028d\n")).toBe("a  b  c d");
});

describe("truncate", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["a😀b", 3, "a😀b"],
    ["a😀bc", 3, "a😀…"],
    ["", 1, ""],
  ])("%j within %i characters is %j", (text, charactersMax, expected) => {
    expect(truncate(text, charactersMax)).toBe(expected);
  });
});

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["ab😀c", 3, "ab😀"],
  ["😀😀😀", 2, "😀😀"],
  ["😀", 1, "😀"],
])("the first characters of %j, at most %i, are %j", (text, charactersMax, expected) => {
  expect(firstCharacters(text, charactersMax)).toBe(expected);
});

it("an excerpt ends with a whole character", () => {
  expect(excerpt(`${"a".repeat(59)}😀b`)).toBe(`${"a".repeat(59)}😀…`);
});

it.each([
  ["a%20b%C3%A9", "a bé"],
  ["100%", "100%"],
  ["%C3", "%C3"],
])("%j is %j with its percent encoding decoded", (text, expected) => {
  expect(percentDecoded(text)).toBe(expected);
});

it.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
  [["a", "b", "c", "d", "e"], "a, b, c and 2 more"],
])("%j is listed as %j", (names, expected) => {
  expect(listed(names)).toBe(expected);
});

it("a count has its noun in the singular or the plural", () => {
  expect([
    counted(0, "check"),
    counted(1, "check"),
    counted(2, "check"),
    counted(2, "retry", "retries"),
  ]).toEqual(["0 checks", "1 check", "2 checks", "2 retries"]);
});
