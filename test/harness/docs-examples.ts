/**
 * The shell examples of the documentation: fenced blocks that begin with "```sh". After that word each says whether it
 * is run: `runnable`, or `not run:` and the reason.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";
import { readProjectFiles } from "./project-files.ts";

/** A shell example. */
export interface ShellExample {
  /** Line of the page that the example begins at, from 1. */
  line: number;
  /** The words behind "sh"; "" for none. */
  mark: string;
  script: string;
}

/** A page with its examples, in their order. */
export interface PageExamples {
  /** Path of the page, relative to the project's root. */
  page: string;
  examples: ShellExample[];
}

/** Returns the pages that have shell examples: those at the root first, then docs/, then those of the packages. */
export function readDocsExamples(): PageExamples[] {
  return pages()
    .map((page) => ({ page, examples: examplesOf(readFileSync(join(ROOT, page), "utf8")) }))
    .filter(({ examples }) => examples.length > 0);
}

function pages(): string[] {
  const files = readProjectFiles();
  const docs = files.filter((file) => /^docs\/.*\.md$/.test(file)).sort();
  const folders = files
    .filter((file) => /^[^/]+\/README\.md$/.test(file) && !file.startsWith("docs/"))
    .sort();
  return ["README.md", "CONTRIBUTING.md", ...docs, ...folders];
}

function examplesOf(markdown: string): ShellExample[] {
  return [...markdown.matchAll(/^ *```(?:sh|bash|shell|console)\b *(.*)\n([\s\S]*?)^ *```$/gm)].map(
    ({ index, 1: mark = "", 2: script = "" }) => ({
      line: markdown.slice(0, index).split("\n").length,
      mark,
      script,
    }),
  );
}

/** True when the example runs as it stands. */
export function isRunnable({ mark }: ShellExample): boolean {
  return mark === "runnable";
}

/**
 * Returns one shell script that runs the runnable examples of a page as a reader would, one after the other in one
 * terminal, and ends at the first command that fails. A request that the service refuses counts as failed.
 */
export function scriptOf({ examples }: PageExamples): string {
  return [
    "set -euo pipefail",
    'curl() { command curl --fail-with-body --max-time 30 "$@"; }',
    ...examples.filter(isRunnable).map(({ script }) => `echo; ${script}`),
  ].join("\n");
}
