import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests with processes that are killed and awaited take longest and mostly wait: begun first, they fill no tail at the
 * end.
 */
class WaitingTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = (file: TestSpecification) => /\/test\/(faults|journeys|cli|families)\//.test(file.moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

export default defineConfig({
  test: {
    include: [
      "{contract,egress,openapi,as-code,probes,control-plane,runner-agent,cli,dashboard,test}/**/*.test.{ts,tsx}",
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: "control-plane/test-support/global-setup.ts",
    pool: "forks",
    testTimeout: 90_000,
    // A condition that a test waits for may need longer beside other tests; one that never comes fails either way.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 60_000,
    // A failure tells what was there: the report of a run holds the message alone.
    chaiConfig: { truncateThreshold: 2_000 },
    // One more than the smallest machine has cores: the longest tests wait more than they compute.
    maxWorkers: 3,
    sequence: { sequencer: WaitingTestsFirst },
  },
});
