import { defineReadinessProbe, type ReadinessResult } from "./define.ts";
import { absence } from "./served.ts";
import type { Site } from "./site.ts";

const DEFAULT_PATH = "/sitemap.xml";
/** Sitemaps named by robots.txt that are read at most. */
const SITEMAPS_MAX = 3;
/** Lines of robots.txt with a sitemap that are looked at: a file may have tens of thousands without a valid URL. */
const LOCATIONS_LOOKED_AT_MAX = 100;

/**
 * Looks for sitemaps (https://www.sitemaps.org/protocol.html): those that robots.txt names, else /sitemap.xml. XML or
 * one URL per line.
 */
export const sitemap = defineReadinessProbe("sitemap", async (site) => {
  const named = await namedByRobots(site);
  const results = await Promise.all(
    (named.length > 0 ? named : [DEFAULT_PATH]).map((location) => look(site, location)),
  );
  return results.find(({ status }) => status !== "pass") ?? (results[0] as ReadinessResult);
});

async function namedByRobots(site: Site): Promise<string[]> {
  const { robots } = await site.robots();
  return robots.sitemaps
    .slice(0, LOCATIONS_LOOKED_AT_MAX)
    .filter((location) => URL.canParse(location, site.page.href))
    .slice(0, SITEMAPS_MAX);
}

async function look(site: Site, location: string): Promise<ReadinessResult> {
  const name = new URL(location, site.page).pathname;
  const document = await site.fetch(location);
  const absent = absence(name, document);
  if (absent || document.kind !== "served") return absent as ReadinessResult;
  if (name.endsWith(".gz")) return { status: "pass", summary: `${name} is served, compressed` };
  const entries = document.text.match(/<loc>\s*https?:\/\//gi)?.length ?? plainUrls(document.text);
  if (entries > 0) return { status: "pass", summary: `${name} lists ${entries} locations` };
  return { status: "fail", summary: `${name} is served but lists no locations` };
}

function plainUrls(text: string): number {
  return text.match(/^[ \t]*https?:\/\/\S+[ \t]*$/gm)?.length ?? 0;
}
