import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextFinder } from "./text-finder.ts";

const NEVER = Number.POSITIVE_INFINITY;
const replace = (wanted: string[], text: string, cutLengthMin = NEVER) =>
  new TextFinder(wanted).replace(text, "*", cutLengthMin);

it.each<[string, string[], string, string]>([
  ["one text", ["abc"], "xabcx", "x*x"],
  ["nothing", ["abc"], "xabx", "xabx"],
  ["one within another", ["abcd", "bc"], "xabcdx bc", "x*x *"],
  ["the shorter one where the longer is not", ["abcd", "bc"], "abce", "a*e"],
  ["two that overlap", ["abcd", "cdef"], "xabcdefx", "x*x"],
  ["two that touch", ["ab"], "xababx", "x*x"],
  [
    "one of several with one beginning",
    ["0123456789abcdef-one", "0123456789abcdef-two"],
    "x0123456789abcdef-twox",
    "x*x",
  ],
  ["one whose beginning repeats itself", [`${"a".repeat(20)}b`], `${"a".repeat(25)}bx`, "aaaaa*x"],
  ["a long one that the end cuts off", ["0123456789abcdefghij"], "x0123456789abcdefg", "x*"],
  ["characters of two code units", ["😀😀"], "a😀😀-😀", "a*-😀"],
])("replaces %s", (_name, wanted, text, expected) => {
  expect(replace(wanted, text)).toBe(expected);
});

it("replaces a beginning at the end of the text from a length on", () => {
  expect(replace(["abcdefgh"], "xabcd", 4)).toBe("x*");
  expect(replace(["abcdefgh"], "xabc", 4)).toBe("xabc");
  expect(replace(["abcdefgh"], "abcdx", 4)).toBe("abcdx");
});

it.each(["...", "…", "\ufffd", "***REDACTED***"])(
  "replaces a beginning before %s, which stands where a text was cut",
  (mark) => {
    expect(replace(["abcdefgh"], `xabcd${mark} and more`, 4)).toBe(`x*${mark} and more`);
    expect(replace(["abcdefgh"], `xabc${mark} and more`, 4)).toBe(`xabc${mark} and more`);
    const long = "0123456789abcdefghij";
    for (let length = 4; length < long.length; length++)
      expect(replace([long], `x${long.slice(0, length)}${mark}" y`, 4)).toBe(`x*${mark}" y`);
    expect(replace([long], `x${long.slice(0, 18)}!${mark}`, 4)).toBe(`x${long.slice(0, 18)}!${mark}`);
  },
);

it("replaces a beginning before a mark that the text goes on with", () => {
  expect(replace(["0123456789abcdef.ij"], 'x0123456789abcdef..." y', 4)).toBe('x*.." y');
  expect(replace(["0123456789abcdef...ij"], 'x0123456789abcdef..." y', 4)).toBe('x*" y');
});

it("replaces what a plain search finds, in any texts", () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b"), maxLength });
  fc.assert(
    fc.property(fc.array(letters(24), { maxLength: 6 }), letters(200), (words, text) => {
      const wanted = words.filter((word) => word !== "");
      const covered = Array.from(text, () => false);
      for (const word of wanted)
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
          covered.fill(true, at, at + word.length);
      const shown = [...text].filter((_letter, at) => !covered[at]);
      const left = replace(wanted, text).replaceAll("*", "");
      // A long text that the end of the searched one cuts off is replaced, too, so less may be left.
      const isCut = wanted.some((word) => word.length > 16);
      if (isCut) expect(shown.join("").startsWith(left)).toBe(true);
      else expect(left).toBe(shown.join(""));
    }),
  );
});

describe("hostile texts", () => {
  const KIB = 1024;
  const cpuMs = (work: () => unknown) => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  it.each<[string, (size: number) => string[]]>([
    ["a letter between equal halves", (size) => [`${"a".repeat(size / 8)}b${"a".repeat(size / 8)}`]],
    ["all beginnings of one text", (size) => Array.from({ length: size / 256 }, (_, n) => "a".repeat(n + 1))],
    [
      "many that differ at their ends",
      (size) => Array.from({ length: size / 256 }, (_, n) => `${"a".repeat(1_000)}${n}`),
    ],
    ["many that are not there", (size) => Array.from({ length: size / 256 }, (_, n) => `word ${n}`)],
  ])("%s take time in proportion to the searched text and their number", (_name, wantedOf) => {
    const timeOf = (size: number) => {
      const finder = new TextFinder(wantedOf(size));
      const text = "a".repeat(size);
      return Math.max(2, Math.min(...[1, 2, 3].map(() => cpuMs(() => finder.replace(text, "*", 8)))));
    };
    timeOf(32 * KIB); // compiled before it is measured
    expect(timeOf(256 * KIB) / timeOf(64 * KIB)).toBeLessThan(2.5 ** 2);
  });
});
