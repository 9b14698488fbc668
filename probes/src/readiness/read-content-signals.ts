/** Reads the Content-Signal lines of a site's robots.txt, for their probe and for the report. */
import { groupsFor } from "./robots.ts";
import type { Site } from "./site.ts";

/** Further signals are ignored: a report must not grow with the inventions of a site. */
const SIGNALS_MAX = 20;
/** Pairs of a name and a value that are looked at, repeated and empty ones included. */
const PAIRS_MAX = 1_000;

/**
 * Returns the signals for all user agents, with names and values in lower case.
 * @returns an empty record when none are stated
 * @throws RunnerFailure
 */
export async function contentSignalsOf(site: Site): Promise<Record<string, string>> {
  const { robots } = await site.robots();
  const lines = [
    ...robots.contentSignals,
    ...groupsFor(robots, "*").flatMap((group) => group.contentSignals),
  ];
  const signals = new Map<string, string>();
  for (const pair of lines.join(",").split(",", PAIRS_MAX)) {
    const [name = "", value = ""] = pair.split("=", 2);
    if (signals.size === SIGNALS_MAX) break;
    if (name.trim() !== "") signals.set(name.trim().toLowerCase(), value.trim().toLowerCase());
  }
  return Object.fromEntries(signals);
}
