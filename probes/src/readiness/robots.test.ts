import { describe, expect, it } from "vitest";
import { judgeRobots, parseRobots } from "./robots.ts";

const judged = (text: string, agent: string, path: string) => judgeRobots(parseRobots(text), agent, path);

describe("judgeRobots", () => {
  it.each<[string, string, string, string, boolean, string | undefined]>([
    ["no rules", "", "GPTBot", "/", true, undefined],
    ["disallowed for all", "User-agent: *\nDisallow: /", "GPTBot", "/x", false, "Disallow: /"],
    ["disallowed for the agent only", "User-agent: GPTBot\nDisallow: /", "ClaudeBot", "/", true, undefined],
    ["agent in another case", "user-AGENT: gptBOT\ndisALLOW: /", "GPTBot", "/", false, "Disallow: /"],
    [
      "own group instead of all",
      "User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /",
      "GPTBot",
      "/",
      true,
      "Allow: /",
    ],
    ["two agents, one group", "User-agent: A\nUser-agent: B\nDisallow: /x", "B", "/x", false, "Disallow: /x"],
    [
      "groups of one agent are merged",
      "User-agent: A\nDisallow: /x\nUser-agent: B\nDisallow: /\nUser-agent: A\nDisallow: /y",
      "A",
      "/y",
      false,
      "Disallow: /y",
    ],
    ["longest rule wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "X", "/a/b/c", true, "Allow: /a/b"],
    ["allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a", "X", "/a", true, "Allow: /a"],
    ["empty disallow", "User-agent: *\nDisallow:", "X", "/", true, undefined],
    ["wildcard", "User-agent: *\nDisallow: /*.php", "X", "/a/b.php?x", false, "Disallow: /*.php"],
    ["end anchor", "User-agent: *\nDisallow: /*.php$", "X", "/a.php?x", true, undefined],
    ["end anchor holds", "User-agent: *\nDisallow: /*.php$", "X", "/a.php.php", false, "Disallow: /*.php$"],
    ["exact path", "User-agent: *\nDisallow: /a$", "X", "/ab", true, undefined],
    ["piece must not overlap the end", "User-agent: *\nDisallow: /ab*b$", "X", "/ab", true, undefined],
    [
      "comments and Windows lines",
      "# hi\r\nUser-agent: * # all\r\nDisallow: /p # private\r\n",
      "X",
      "/p",
      false,
      "Disallow: /p",
    ],
    [
      "rules before any group are ignored",
      "Disallow: /\nUser-agent: *\nAllow: /",
      "X",
      "/",
      true,
      "Allow: /",
    ],
  ])("%s", (_, text, agent, path, allowed, rule) => {
    expect(judged(text, agent, path)).toEqual(rule === undefined ? { allowed } : { allowed, rule });
  });

  it("takes no time for a pattern made to take long", () => {
    const pattern = `/${"*a".repeat(5_000)}$`;
    const startedAtMs = performance.now();
    judged(`User-agent: *\nDisallow: ${pattern}`, "X", `/${"a".repeat(8_000)}b`);
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  });
});

it("finds sitemaps, content signals and lines it does not know", () => {
  const robots = parseRobots(
    "Sitemap: https://a.example/s.xml\nUser-agent: *\nContent-Signal: search=yes, ai-train=no\nDissalow: /x\nCrawl-delay: 5\n<html>",
  );
  expect(robots.sitemaps).toEqual(["https://a.example/s.xml"]);
  expect(robots.groups[0]?.contentSignals).toEqual(["search=yes, ai-train=no"]);
  expect(robots.unknownLines).toEqual(["4: Dissalow: /x", "6: <html>"]);
});

describe("parseRobots", () => {
  it("keeps the first of countless unknown lines", () => {
    expect(parseRobots("Dissalow: /\n".repeat(40_000)).unknownLines).toHaveLength(20);
  });

  it("takes no longer for comments that no pattern finds the end of", () => {
    const startedMs = performance.now();
    expect(parseRobots(`${"#".repeat(400_000)}\u2028x`).unknownLines).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
