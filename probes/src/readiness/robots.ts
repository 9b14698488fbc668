/** Parses robots.txt and applies its rules as RFC 9309 says. Pure. */

interface RobotsRule {
  isAllow: boolean;
  /** The pattern as written, such as `/private/*.html$`. */
  path: string;
}

interface RobotsGroup {
  /** Lower case. */
  agents: string[];
  rules: RobotsRule[];
  /** Values of Content-Signal lines. */
  contentSignals: string[];
}

/** The parsed file: its groups of rules, sitemaps and content signals, and the lines that are none of these. */
export interface Robots {
  groups: RobotsGroup[];
  sitemaps: string[];
  /** Content-Signal lines before any group. */
  contentSignals: string[];
  /** The first lines that the format does not know, with their number: `3: Dissalow: /`. */
  unknownLines: string[];
}

const KNOWN_ELSEWHERE = new Set([
  "crawl-delay",
  "host",
  "noindex",
  "clean-param",
  "request-rate",
  "visit-time",
]);
/** The part of a file that is read. Crawlers must read at least this much (RFC 9309, section 2.5). */
const ROBOTS_CHARACTERS_MAX = 500 * 1024;

/**
 * Characters that rules with `*` are compared with for one agent: each looks through the whole path, which may be long,
 * and a file has tens of thousands of them. Paths of 100 characters can have 20,000 such rules.
 */
const WILDCARD_CHARACTERS_MAX = 2_000_000;

/** Unknown lines that are kept: a file may consist of them, and a few are shown. */
const UNKNOWN_LINES_MAX = 20;

/** Parses any text; text beyond the maximum of characters is left out. */
export function parseRobots(text: string): Robots {
  const robots: Robots = { groups: [], sitemaps: [], contentSignals: [], unknownLines: [] };
  let group: RobotsGroup | undefined;
  let isCollectingAgents = false;
  for (const { line, number } of filledLines(text.slice(0, ROBOTS_CHARACTERS_MAX))) {
    // Not a regex: `.` stops at U+2028, and `#.*$` would then look for the end again from each #.
    const [beforeComment = ""] = line.split("#", 1);
    const content = beforeComment.trim();
    if (content === "") continue;
    const colon = content.indexOf(":");
    const key = colon < 0 ? "" : content.slice(0, colon).trim().toLowerCase();
    const value = content.slice(colon + 1).trim();
    if (key === "user-agent") {
      if (!group || !isCollectingAgents) {
        group = { agents: [], rules: [], contentSignals: [] };
        robots.groups.push(group);
      }
      group.agents.push(value.toLowerCase());
      isCollectingAgents = true;
      continue;
    }
    if (key === "sitemap") robots.sitemaps.push(value);
    else if (key === "content-signal") (group ?? robots).contentSignals.push(value);
    else if (key === "allow" || key === "disallow") {
      isCollectingAgents = false;
      // An empty Disallow means that nothing is disallowed.
      if (value !== "") group?.rules.push({ isAllow: key === "allow", path: value });
    } else if (!KNOWN_ELSEWHERE.has(key) && robots.unknownLines.length < UNKNOWN_LINES_MAX)
      robots.unknownLines.push(`${number}: ${content.slice(0, 100)}`);
  }
  return robots;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Yields the lines that are not empty, with their numbers from 1. A line ends with CR LF, CR or LF. A list of all lines
 * would cost several times as much for a text of line ends only.
 */
function* filledLines(text: string): Generator<{ line: string; number: number }> {
  let start = 0;
  let number = 1;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : LINE_FEED;
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    if (at > start) yield { line: text.slice(start, at), number };
    if (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED) at++;
    start = at + 1;
    number++;
  }
}

/**
 * Returns whether a crawler may fetch a path, with the rule that decides. The longest matching rule wins; of two that
 * are equally long, Allow does. Without a matching rule the path is allowed. A site chooses the rules and, by a
 * redirect, the path: when both are so long that comparing them would hold up the agent, further rules with `*` are
 * left out.
 */
export function judgeRobots(
  robots: Robots,
  agent: string,
  path: string,
): { allowed: boolean; rule?: string } {
  let best: RobotsRule | undefined;
  let charactersLeft = WILDCARD_CHARACTERS_MAX;
  for (const group of groupsFor(robots, agent))
    for (const rule of group.rules) {
      if (rule.path.includes("*")) charactersLeft -= path.length;
      if (charactersLeft < 0 && rule.path.includes("*")) continue;
      if (!matches(rule.path, path)) continue;
      const isBetter = !best || rule.path.length > best.path.length;
      if (isBetter || (rule.path.length === best?.path.length && rule.isAllow)) best = rule;
    }
  if (!best) return { allowed: true };
  return { allowed: best.isAllow, rule: `${best.isAllow ? "Allow" : "Disallow"}: ${best.path}` };
}

/** Returns the groups that name the agent, or else those for all agents. */
export function groupsFor(robots: Robots, agent: string): RobotsGroup[] {
  const name = agent.toLowerCase();
  const own = robots.groups.filter(({ agents }) => agents.includes(name));
  return own.length > 0 ? own : robots.groups.filter(({ agents }) => agents.includes("*"));
}

/**
 * True when a path matches a rule's pattern, in which `*` stands for anything and a final `$` for the end. Works
 * without backtracking, whatever the pattern.
 */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const [first = "", ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  if (isAnchored && pieces.length === 0) return path === first;
  let at = first.length;
  const last = isAnchored ? pieces.pop() : undefined;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last));
}
