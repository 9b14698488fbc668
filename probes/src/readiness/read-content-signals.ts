/** Reads the Content-Signal lines of a site's robots.txt, for their probe and for the report. */
import { groupsFor, parseRobots } from "./robots.ts";
import type { Site } from "./site.ts";

/** Further signals are ignored: a report must not grow with the inventions of a site. */
const SIGNALS_MAX = 20;

/**
 * Returns the signals for all user agents, with names and values in lower case.
 * @returns an empty record when none are stated
 * @throws RunnerFailure
 */
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
