import { expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { judgeRobots, parseRobots } from "./robots.ts";

const KIB = 1024;

it.each([
  ["groups", "user-agent:a\nallow:/\n"],
  ["unknown lines", "x\n"],
  ["comments", "#\u2028"],
  ["ends of lines", "\r\n"],
  ["sitemaps", "sitemap:a\n"],
])("a robots.txt of many %s is read in linear time", (_name, line) => {
  const growth = growthAtDoubleSize(
    [124 * KIB, 248 * KIB, 496 * KIB],
    (size) => line.repeat(size / line.length),
    parseRobots,
  );
  // Quadratic work grows four times; the collector's share of that of many small objects is more than linear.
  expect(growth).toBeLessThan(3.5);
});

it("lines end with LF, CR or CR LF, and are counted with the empty ones", () => {
  expect(parseRobots("a\n\r\n\rb\r\nc").unknownLines).toEqual(["1: a", "4: b", "5: c"]);
});

it("many rules with wildcards and a long path together cost no more than one of them", () => {
  const robots = parseRobots(`User-agent: *\n${"allow:*ab\n".repeat(25_000)}`);
  // Without a bound, twice the path takes twice the time, up to a minute for each agent.
  const growth = growthAtDoubleSize(
    [2 * KIB, 8 * KIB, 32 * KIB],
    (size) => `/${"a".repeat(size)}`,
    (path) => judgeRobots(robots, "GPTBot", path),
  );
  expect(growth).toBeLessThan(2);
});

it("20,000 rules with wildcards all count for a path of 100 characters", () => {
  const rules = `${"disallow:/*x\n".repeat(19_999)}disallow:/*y`;
  const judgement = judgeRobots(parseRobots(`User-agent: *\n${rules}`), "GPTBot", `/${"a".repeat(98)}y`);
  expect(judgement).toEqual({ allowed: false, rule: "Disallow: /*y" });
});
