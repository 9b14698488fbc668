import { defineReadinessProbe } from "./define.ts";
import { absence, judged } from "./served.ts";

const NAME = "/robots.txt";
const LINES_SHOWN_MAX = 5;

/** Looks for a robots.txt that follows RFC 9309. */
export const robotsTxt = defineReadinessProbe("robots_txt", async (site) => {
  const { document, robots } = await site.robots();
  const absent = absence(NAME, document);
  if (absent) return absent;
  const { groups, unknownLines } = robots;
  const problems = unknownLines.slice(0, LINES_SHOWN_MAX).map((line) => `unknown line ${line}`);
  if (groups.length === 0) problems.unshift("it names no User-agent");
  const agents = new Set(groups.flatMap((group) => group.agents)).size;
  return judged(NAME, `${NAME} has rules for ${agents} user agents`, problems);
});
