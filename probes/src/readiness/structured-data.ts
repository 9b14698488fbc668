import { defineReadinessProbe } from "./define.ts";
import { isHtml } from "./served.ts";

/** Looks for https://schema.org data in the watched page, as JSON-LD or as microdata. */
export const structuredData = defineReadinessProbe("structured_data", async (site) => {
  const page = await site.pageDocument();
  if (page.kind !== "served" || !isHtml(page))
    return { status: "skipped", summary: "the page is not HTML that was served" };
  const types: string[] = [];
  const problems: string[] = [];
  for (const [index, json] of jsonLdBlocks(page.text).entries()) {
    try {
      types.push(...typesOf(JSON.parse(json)));
    } catch (error) {
      problems.push(`JSON-LD block ${index + 1}: ${(error as Error).message}`);
    }
  }
  if (problems.length > 0)
    return { status: "fail", summary: "the page has JSON-LD that is not valid JSON", details: problems };
  const microdata = page.text.match(/\bitemtype\s*=\s*["']https?:\/\/schema\.org\/[^"']+/gi) ?? [];
  types.push(...microdata.map((attribute) => attribute.slice(attribute.lastIndexOf("/") + 1)));
  if (types.length === 0)
    return { status: "missing", summary: "the page has no structured data (JSON-LD or microdata)" };
  return { status: "pass", summary: `the page describes ${[...new Set(types)].slice(0, 10).join(", ")}` };
});

function typesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(typesOf);
  if (typeof value !== "object" || value === null) return [];
  const { "@type": type, "@graph": graph } = value as Record<string, unknown>;
  const own = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string") as string[];
  return [...own, ...typesOf(graph)];
}

/** Longest opening tag; bounds the search for its end. */
const TAG_CHARACTERS_MAX = 1_000;

/**
 * Returns the contents of the page's JSON-LD scripts. Found by indexOf, since a regex could be made to run for
 * minutes.
 */
function jsonLdBlocks(html: string): string[] {
  const lower = html.toLowerCase();
  const blocks: string[] = [];
  for (let at = lower.indexOf("<script"); at >= 0; at = lower.indexOf("<script", at + 1)) {
    const tag = lower.slice(at, at + TAG_CHARACTERS_MAX);
    const tagEnd = tag.indexOf(">");
    if (tagEnd < 0 || !tag.slice(0, tagEnd).includes("application/ld+json")) continue;
    const start = at + tagEnd + 1;
    const end = lower.indexOf("</script", start);
    if (end < 0) break;
    blocks.push(html.slice(start, end));
    at = end;
  }
  return blocks;
}
