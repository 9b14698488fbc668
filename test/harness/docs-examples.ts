/**
 * The shell examples of the documentation: fenced blocks that begin with "```sh". After that word each says what becomes of it:
 * `runnable`, or `not run:` and the reason.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";

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
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !["node_modules", "docs"].includes(entry.name))
    .map(({ name }) => join(name, "README.md"))
    .filter((page) => existsSync(join(ROOT, page)));
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort();
  return ["README.md", "CONTRIBUTING.md", ...docs.map((file) => join("docs", file)), ...folders.sort()];
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
 * Returns one shell script that runs the runnable examples of a page as a reader would, one after the other in one terminal, and
 * ends at the first command that fails. A request that the service refuses counts as failed.
 */
export function scriptOf({ examples }: PageExamples): string {
  return [
    "set -euo pipefail",
    'curl() { command curl --fail-with-body --max-time 30 "$@"; }',
    ...examples.filter(isRunnable).map(({ script }) => `echo; ${script}`),
  ].join("\n");
}
