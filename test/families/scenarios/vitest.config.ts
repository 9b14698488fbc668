/** Runs the scenarios of the made-up members, and parity tests, in a copy of the project. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../../..", import.meta.url).pathname,
    include: ["test/families/scenarios/*.scenario.ts", "{contract,probes,control-plane,test}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: "control-plane/test-support/global-setup.ts",
    pool: "forks",
    maxWorkers: 1,
    // All files share the modules that they import, which halves the time: none of them changes what others see.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
