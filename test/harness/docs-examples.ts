/** The examples in README and docs that are marked as runnable: fenced blocks that begin with "```sh runnable". */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";

/** A page with its runnable blocks, in their order. */
export interface PageExamples {
  /** Path of the page, relative to the project's root. */
  page: string;
  blocks: string[];
}

/** Returns the pages that have runnable examples: README first, then those of docs/. */
export function readDocsExamples(): PageExamples[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort();
  return ["README.md", ...docs.map((file) => join("docs", file))]
    .map((page) => ({ page, blocks: runnableBlocks(readFileSync(join(ROOT, page), "utf8")) }))
    .filter(({ blocks }) => blocks.length > 0);
}

function runnableBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh runnable\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/**
 * Returns one shell script that runs the blocks of a page as a reader would, one after the other in one terminal, and ends
 * at the first command that fails. A request that the service refuses counts as failed.
 */
export function scriptOf({ blocks }: PageExamples): string {
  return [
    "set -euo pipefail",
    'curl() { command curl --fail-with-body --max-time 30 "$@"; }',
    ...blocks.map((block) => `echo; ${block}`),
  ].join("\n");
}
