import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,egress,openapi,probes,control-plane,runner-agent,cli,test}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: "control-plane/test-support/global-setup.ts",
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
