/** The fuzz tests of the test run (2,000 inputs) with 200,000: no crash, no hang, no leak. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../harness/control-plane.ts";

const INPUTS = 200_000;

export async function fuzzBench(): Promise<void> {
  const { status } = spawnSync(
    join(ROOT, "node_modules/.bin/vitest"),
    [
      "run",
      "--testTimeout=0",
      "fuzz",
      "json-path",
      "regex-pool",
      "generated-requests",
      "hostile-answers",
      "hostile-servers",
      "generated-scripts",
    ],
    { cwd: ROOT, stdio: "inherit", env: { ...process.env, SVC_FUZZ_INPUTS: String(INPUTS) } },
  );
  if (status !== 0) throw new Error("the fuzz tests failed");
}
