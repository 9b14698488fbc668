/** Time and chance: product code is handed its clocks. Only the files listed here read the machine's own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { readProductFiles } from "../harness/product-files.ts";

/** Files that may read a clock or chance, each with what it may read and the reason. */
const ALLOWED: Readonly<Record<string, { reads: readonly string[]; because: string }>> = {
  "control-plane/src/platform/clock.ts": {
    reads: ["Date.now", "performance.now", "Math.random"],
    because: "the one source of the control plane; app/create-services.ts hands it to everything else",
  },
  "runner-agent/src/base/machine.ts": {
    reads: ["Date.now", "performance.now", "Math.random"],
    because: "the one source of the agent; start-agent.ts hands it to everything else",
  },
  "cli/src/program/process.ts": {
    reads: ["Date.now", "performance.now"],
    because: "the one source of the command line: it makes the System that commands get",
  },
  "probes/src/base/machine-clocks.ts": {
    reads: ["Date.now", "performance.now"],
    because: "the one source of probes and of the browser's driver, for durations and time limits",
  },
  "egress/src/system-resolver.ts": {
    reads: ["performance.now"],
    because: "the process-wide memory of whether name servers answer; createResolverHealth takes any clock",
  },
};

/** Ways to read a clock or chance. `new Date` without an argument reads the wall clock, too. */
const READINGS: readonly [name: string, pattern: RegExp][] = [
  ["Date.now", /\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()|(?<!new )\bDate\(\)/],
  ["performance.now", /\bperformance\.(now|timeOrigin)\b|\bhrtime\b/],
  ["Math.random", /\bMath\.random\b/],
];

/** Returns what the code of a file reads; comments do not count. */
function readingsOf(path: string): string[] {
  const code = readFileSync(join(ROOT, path), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|[^:"'`])\/\/.*$/gm, "$1");
  return READINGS.filter(([, pattern]) => pattern.test(code)).map(([name]) => name);
}

const files = readProductFiles();

it("no product file reads a clock or chance of its own: it is handed one", () => {
  const found = files
    .filter((path) => !(path in ALLOWED))
    .flatMap((path) => readingsOf(path).map((reading) => `${path}: ${reading}`));
  expect(found).toEqual([]);
});

it.each(Object.entries(ALLOWED))("%s reads just what the list says", (path, { reads }) => {
  expect(files).toContain(path);
  expect(readingsOf(path)).toEqual(reads);
});
