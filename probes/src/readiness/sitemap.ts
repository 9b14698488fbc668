import { absence, defineReadinessProbe, type Finding } from "./define.ts";
import { parseRobots } from "./robots.ts";
import type { Site } from "./site.ts";

const DEFAULT_PATH = "/sitemap.xml";
/** Sitemaps named by robots.txt that are looked at. */
const SITEMAPS_MAX = 3;

/** https://www.sitemaps.org/protocol.html: those that robots.txt names, else /sitemap.xml. XML or one URL a line. */
export const sitemap = defineReadinessProbe("sitemap", async (site) => {
  const named = await namedByRobots(site);
  const findings = await Promise.all(
    (named.length > 0 ? named : [DEFAULT_PATH]).map((location) => look(site, location)),
  );
  return findings.find(({ status }) => status !== "pass") ?? (findings[0] as Finding);
});

async function namedByRobots(site: Site): Promise<string[]> {
  const robots = await site.fetch("/robots.txt");
  if (robots.kind !== "served") return [];
  return parseRobots(robots.text)
    .sitemaps.filter((location) => URL.canParse(location, site.page.href))
    .slice(0, SITEMAPS_MAX);
}

async function look(site: Site, location: string): Promise<Finding> {
  const name = new URL(location, site.page).pathname;
  const document = await site.fetch(location);
  const absent = absence(name, document);
  if (absent || document.kind !== "served") return absent as Finding;
  if (name.endsWith(".gz")) return { status: "pass", summary: `${name} is served, compressed` };
  const entries = document.text.match(/<loc>\s*https?:\/\//gi)?.length ?? plainUrls(document.text);
  if (entries > 0) return { status: "pass", summary: `${name} lists ${entries} locations` };
  return { status: "fail", summary: `${name} is served but lists no locations` };
}

function plainUrls(text: string): number {
  return text.split(/\r?\n/).filter((line) => /^https?:\/\/\S+$/.test(line.trim())).length;
}
