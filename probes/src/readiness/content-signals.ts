import { defineReadinessProbe } from "./define.ts";
import { groupsFor, parseRobots } from "./robots.ts";
import type { Site } from "./site.ts";

/** https://contentsignals.org: the signals that are defined so far. */
const KNOWN_SIGNALS = new Set(["search", "ai-input", "ai-train"]);

/** More are not looked at: a report must not grow with what a site makes up. */
const SIGNALS_MAX = 20;

/** Content-Signal in robots.txt: what may be done with the content once it was fetched. */
export const contentSignals = defineReadinessProbe("content_signals", async (site) => {
  const signals = await contentSignalsOf(site);
  const entries = Object.entries(signals);
  if (entries.length === 0) return { status: "missing", summary: "robots.txt states no Content-Signal" };
  const problems = entries.flatMap(([name, value]) => {
    if (!KNOWN_SIGNALS.has(name)) return [`"${name}" is not a defined signal`];
    return value === "yes" || value === "no" ? [] : [`${name} is "${value}", expected yes or no`];
  });
  if (problems.length > 0)
    return { status: "fail", summary: `Content-Signal is not valid: ${problems[0]}`, details: problems };
  return { status: "pass", summary: entries.map(([name, value]) => `${name}=${value}`).join(", ") };
});

/** Signals for everyone; names in lower case. Empty when none are stated. @throws RunnerFailure */
export async function contentSignalsOf(site: Site): Promise<Record<string, string>> {
  const document = await site.fetch("/robots.txt");
  if (document.kind !== "served") return {};
  const robots = parseRobots(document.text);
  const lines = [
    ...robots.contentSignals,
    ...groupsFor(robots, "*").flatMap((group) => group.contentSignals),
  ];
  const signals = new Map<string, string>();
  for (const pair of lines.join(",").split(",")) {
    const [name = "", value = ""] = pair.split("=", 2);
    if (signals.size === SIGNALS_MAX) break;
    if (name.trim() !== "") signals.set(name.trim().toLowerCase(), value.trim().toLowerCase());
  }
  return Object.fromEntries(signals);
}
