/**
 * The tests as three projects, by what they need of a process. `vitest run <file>` finds a file in whichever it is;
 * docs/develop/testing.md tells how a complete run is arranged.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests with processes that are killed and awaited take longest and mostly wait: begun first, they fill no tail at the
 * end.
 */
class WaitingTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      if (/\/test\/(faults|journeys|cli|families)\//.test(moduleId)) return 0;
      return moduleId.startsWith(join(import.meta.dirname, "test")) ? 1 : 2;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** Packages whose tests lie beside the code. */
const PACKAGES = [
  ...["contract", "egress", "openapi", "as-code", "otel", "probes"],
  ...["control-plane", "runner-agent", "cli", "dashboard"],
];

/**
 * What a test has that needs a process of its own: what it reads of the process, where code and garbage of other tests would count, too;
 * or a module in the place of another, which nothing may have loaded before.
 */
const NEEDS_OWN_PROCESS =
  /growthAtDoubleSize|cpuUsage|memoryUsage|getActiveResourcesInfo|eventLoopUtilization|monitorEventLoopDelay|vi\.mock\(/;

const measuringTests = PACKAGES.flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.test\.tsx?$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
    .map((path) => join(folder, path)),
).filter((path) => NEEDS_OWN_PROCESS.test(readFileSync(join(import.meta.dirname, path), "utf8")));

const forAll = {
  exclude: ["**/node_modules/**", "**/dist/**"],
  pool: "forks" as const,
  // One limit for all: a machine that is busy with other work is several times slower, and what never comes fails
  // either way.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
  // A failure tells what was there: the report of a run holds the message alone.
  chaiConfig: { truncateThreshold: 2_000 },
};

export default defineConfig({
  test: {
    globalSetup: "control-plane/test-support/global-setup.ts",
    // One more than the smallest machine has cores: the longest tests wait more than they compute.
    maxWorkers: 3,
    sequence: { sequencer: WaitingTestsFirst },
    projects: [
      {
        test: {
          ...forAll,
          name: "beside-code",
          include: [`{${PACKAGES}}/**/*.test.{ts,tsx}`],
          exclude: [...forAll.exclude, ...measuringTests],
          // Loading the product's modules once per worker, not once per file, saves a third of these tests' CPU time.
          isolate: false,
          setupFiles: "control-plane/test-support/leave-nothing-behind.ts",
        },
      },
      { test: { ...forAll, name: "measuring", include: measuringTests } },
      { test: { ...forAll, name: "across-packages", include: ["test/**/*.test.ts"] } },
    ],
  },
});
