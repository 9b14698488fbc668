import { LOOP_JSON_LENGTH_MAX } from "../base/json-pool.ts";
import { defineReadinessProbe } from "./define.ts";
import { isHtml } from "./served.ts";

/** Looks for https://schema.org data in the watched page, as JSON-LD or as microdata. */
export const structuredData = defineReadinessProbe("structured_data", async (site) => {
  const page = await site.pageDocument();
  if (page.kind !== "served" || !isHtml(page))
    return { status: "skipped", summary: "the page is not HTML that was served" };
  const { types, problems } = structuredDataOf(page.text);
  if (problems.length > 0)
    return { status: "fail", summary: `the page's JSON-LD can't be read: ${problems[0]}`, details: problems };
  if (types.length === 0)
    return { status: "missing", summary: "the page has no structured data (JSON-LD or microdata)" };
  return { status: "pass", summary: `the page describes ${[...new Set(types)].slice(0, 10).join(", ")}` };
});

/** Most blocks that are parsed, besides their characters; and most attributes that are looked at. */
const BLOCKS_MAX = 200;
const ATTRIBUTES_MAX = 1_000;
/** Most types of one block that are listed. */
const TYPES_MAX = 1_000;
/** Longest attribute with the address of a type. */
const ATTRIBUTE_CHARACTERS_MAX = 300;
const LD_JSON = "application/ld+json";
const ITEM_TYPE = /^itemtype\s*=\s*["']https?:\/\/schema\.org\/([^"']+)/;

/**
 * Returns the types of things that a page describes, and what is wrong with its JSON-LD. The page is a stranger's: the
 * work grows with its length, and the parts that cost more are bounded.
 */
export function structuredDataOf(html: string): { types: string[]; problems: string[] } {
  const types: string[] = [];
  const problems: string[] = [];
  // The only letter that is longer in lower case; with it, the two texts would not lie side by side.
  const lower = html.replaceAll("\u0130", "I").toLowerCase();
  const { blocks, isTooLong } = jsonLdBlocks(html, lower);
  for (const [index, json] of blocks.entries()) {
    try {
      types.push(...typesOf(JSON.parse(json)));
    } catch (error) {
      problems.push(`block ${index + 1} is not valid JSON: ${(error as Error).message}`);
    }
  }
  if (isTooLong) problems.push(`it has more than ${LOOP_JSON_LENGTH_MAX} characters in all blocks together`);
  return { types: [...types, ...microdataTypes(html, lower)], problems };
}

/** Returns the types of all things in a block, in order. Works without recursion: a block may nest deeper than the stack. */
function typesOf(block: unknown): string[] {
  const types: string[] = [];
  const waiting = [block];
  while (waiting.length > 0 && types.length < TYPES_MAX) {
    const value = waiting.pop();
    if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at--) waiting.push(value[at]);
      continue;
    }
    if (typeof value !== "object" || value === null) continue;
    const { "@type": type, "@graph": graph } = value as Record<string, unknown>;
    for (const name of Array.isArray(type) ? type : [type]) if (typeof name === "string") types.push(name);
    waiting.push(graph);
  }
  return types.slice(0, TYPES_MAX);
}

/** Longest opening tag; bounds the search for its end. */
const TAG_CHARACTERS_MAX = 1_000;

/**
 * Returns the contents of the page's JSON-LD scripts, found by their type and then by the tag around it.
 * @param lower the page in lower case
 * @returns the first ones; `isTooLong`: the next one together with these has too many characters to be parsed here
 */
function jsonLdBlocks(html: string, lower: string): { blocks: string[]; isTooLong: boolean } {
  const blocks: string[] = [];
  let characters = 0;
  const lastEnd = lower.lastIndexOf("</script");
  for (let at = lower.indexOf(LD_JSON), looks = 0; at >= 0 && looks < ATTRIBUTES_MAX; looks++) {
    if (at > lastEnd) break;
    const block = blockAround(lower, at);
    if (block !== undefined) {
      characters += block.end - block.start;
      if (blocks.length === BLOCKS_MAX) break;
      if (characters > LOOP_JSON_LENGTH_MAX) return { blocks, isTooLong: true };
      blocks.push(html.slice(block.start, block.end));
    }
    at = lower.indexOf(LD_JSON, block?.end ?? at + LD_JSON.length);
  }
  return { blocks, isTooLong: false };
}

/**
 * Returns where the content of the script lies whose opening tag has the text at `at`; undefined when there is no such
 * tag.
 */
function blockAround(lower: string, at: number): { start: number; end: number } | undefined {
  const before = lower.slice(Math.max(0, at - TAG_CHARACTERS_MAX), at);
  const tag = before.lastIndexOf("<script");
  if (tag < 0 || before.includes(">", tag)) return undefined;
  const tagEnd = lower.slice(at, at + TAG_CHARACTERS_MAX).indexOf(">");
  if (tagEnd < 0) return undefined;
  const start = at + tagEnd + 1;
  const end = lower.indexOf("</script", start);
  return end < 0 ? undefined : { start, end };
}

function microdataTypes(html: string, lower: string): string[] {
  const types: string[] = [];
  let at = lower.indexOf("itemtype");
  for (let looks = 0; at >= 0 && looks < ATTRIBUTES_MAX; looks++) {
    const length = ITEM_TYPE.exec(lower.slice(at, at + ATTRIBUTE_CHARACTERS_MAX))?.[0].length;
    if (length !== undefined) {
      const attribute = html.slice(at, at + length);
      types.push(attribute.slice(attribute.lastIndexOf("/") + 1));
    }
    at = lower.indexOf("itemtype", at + (length ?? 1));
  }
  return types;
}
