import { defineReadinessProbe } from "./define.ts";
import { parseRobots } from "./robots.ts";
import { judged, servedText } from "./served.ts";

const NAME = "/robots.txt";
const LINES_SHOWN_MAX = 5;

/** Looks for a robots.txt that follows RFC 9309. */
export const robotsTxt = defineReadinessProbe("robots_txt", (site) =>
  servedText(NAME, site.fetch(NAME), ({ text }) => {
    const { groups, unknownLines } = parseRobots(text);
    const problems = unknownLines.slice(0, LINES_SHOWN_MAX).map((line) => `unknown line ${line}`);
    if (groups.length === 0) problems.unshift("it names no User-agent");
    const agents = new Set(groups.flatMap((group) => group.agents)).size;
    return judged(NAME, `${NAME} has rules for ${agents} user agents`, problems);
  }),
);
