import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanJson, cleanLine, cleanText } from "./clean.ts";

const ESC = "\u001b";

describe("text", () => {
  it.each([
    ["plain colours stay", `${ESC}[31mred${ESC}[0m`, `${ESC}[31mred${ESC}[0m`],
    ["concealed text is no plain colour", `${ESC}[8mx`, " x"],
    ["cursor movement", `a${ESC}[2Jb${ESC}[1;1Hc`, "a b c"],
    ["a window title", `a${ESC}]0;owned\u0007b`, "a b"],
    ["a link", `${ESC}]8;;http://evil${ESC}\\text`, " text"],
    ["one-byte CSI", "a\u009b2Jb", "a b"],
    ["an unfinished escape", `a${ESC}`, "a "],
    ["bell, backspace, carriage return", "a\u0007\b\rb", "a   b"],
    ["tabs and line breaks stay", "a\tb\nc", "a\tb\nc"],
    ["reordering characters", "a\u202eb\u2066c\u200fd\u061ce", "a b c d e"],
    ["line separators", "a\u2028b", "a b"],
    [
      "a log command at the start of a line",
      "x\n::error::y\n  ::set-output name=a::b",
      "x\n: :error::y\n  : :set-output name=a::b",
    ],
    ["a log command behind a colour", `${ESC}[31m::error::y`, `${ESC}[31m: :error::y`],
    ["a log command behind what vanishes", `${ESC}[2K::error::y`, " : :error::y"],
    ["two colons elsewhere stay", "a::b", "a::b"],
    [
      "a service message anywhere",
      "x ##vso[task.setvariable]y ##[group]z ###teamcity[a]",
      "x # #vso[task.setvariable]y # #[group]z ## #teamcity[a]",
    ],
    ["headings stay", "## Title", "## Title"],
  ])("%s", (_title, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it("colours go when the output has none", () => {
    expect(cleanText(`${ESC}[31mred${ESC}[0m`, { keepColors: false })).toBe("red");
  });
});

it("a name of somebody else's is one line without colours", () => {
  expect(cleanLine(`a\nb\tc${ESC}[31md`)).toBe("a b c d");
});

const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        ESC,
        "[",
        "2J",
        "31m",
        "]",
        "0;",
        "\u0007",
        "\u009b",
        "::",
        "error",
        "##",
        "#",
        "vso[",
        "\n",
        "\r",
        "\t",
        " ",
        "x",
      ],
      ...["\u202e", "\u2066", "\u2028", "\u0000", "\u007f", "\u0085", "P", "\\", "m", ";"],
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

it("whatever is written, nothing is left that a terminal or a CI runner acts on", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const cleaned = cleanText(text, { keepColors: false });
      expect(cleaned.replace(/[\t\n]/g, "")).not.toMatch(UNSAFE);
      expect(cleaned).not.toMatch(/^\s*::/m);
      expect(cleaned).not.toMatch(/##[\w.-]*\[/);
      expect(cleanText(cleaned, { keepColors: false })).toBe(cleaned);
      const line = cleanLine(text);
      expect(line).not.toMatch(UNSAFE);
      expect(line).not.toMatch(/\n/);
    }),
    { numRuns: 2_000 },
  );
});

it("JSON holds the same text, written without those characters, on one line", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const written = cleanJson({ name: text, [text]: 1 });
      expect(JSON.parse(written)).toEqual({ name: text, [text]: 1 });
      expect(written).not.toMatch(UNSAFE);
      expect(written).not.toMatch(/##[\w.-]*\[/);
    }),
    { numRuns: 1_000 },
  );
});

describe("the time that cleaning takes", () => {
  it.each([
    ["line breaks", "\n"],
    ["beginnings of escapes", "\u009b0"],
    ["beginnings of service messages", `#${ESC}[m`],
  ])("grows with the text: %s", (_, piece) => {
    const cpuMsOf = (length: number) => {
      const text = piece.repeat(length);
      const before = process.cpuUsage();
      cleanText(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const leastOf = (length: number) => Math.min(...Array.from({ length: 7 }, () => cpuMsOf(length)));
    cpuMsOf(1000);
    // Sixteen times the text; a quadratic pattern would take 256 times as long, caches and collections two or three
    // times 16.
    expect(leastOf(320_000)).toBeLessThan(80 * Math.max(1, leastOf(20_000)));
  });
});
