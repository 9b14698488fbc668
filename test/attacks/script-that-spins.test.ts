import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  hasSandbox,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";

/** Parts of a minute that a script may have, ms. */
const TIMEOUT_MS = 5_000;
/** Start of the box and of its browser on a busy machine. */
const START_MS = 12_000;

let runtime: BrowserRuntime;
beforeAll(() => {
  if (hasSandbox) runtime = openBrowserRuntime();
});
afterAll(async () => {
  await runtime?.close();
}, 60_000);

const attack = (script: string) =>
  runBrowserCheck(runtime, { browserMode: "scripted", script, timeoutMs: TIMEOUT_MS });

describe.runIf(hasSandbox)(`a script that holds on${SANDBOX_ADVICE}`, () => {
  it("and spins is ended 2 s after its time limit", async () => {
    const startedMs = performance.now();
    const result = resultOf(await attack("for (;;) {}"));
    expect(result).toMatchObject({ status: "timeout" });
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS + 2_000 + START_MS);
  }, 60_000);

  it("and says it has ended before it begins gains nothing but the time to close", async () => {
    const result = resultOf(
      await attack(
        `import fs from "node:fs"; fs.writeSync(3, '{"type":"script_started","runId":1}\\n'); for (;;) {}`,
      ),
    );
    expect(result).toMatchObject({ status: "timeout" });
  }, 60_000);

  it.each([
    ["news without end", `for (;;) fs.writeSync(3, '{"type":"started","runId":1}\\n'.repeat(1000));`],
    ["bytes without end, one at a time", `for (;;) fs.writeSync(3, "a");`],
    ["lists without end", `for (;;) fs.writeSync(3, "[" + "0,".repeat(400_000) + "0]\\n");`],
  ])(
    "and sends %s leaves the agent's loop free",
    async (_name, flood) => {
      const delay = monitorEventLoopDelay({ resolution: 10 });
      delay.enable();
      const result = resultOf(await attack(`import fs from "node:fs";\n${flood}`));
      delay.disable();
      expect(result.status).not.toBe("success");
      // A quarter of a second allows for a busy machine; without limits the loop stands still for as long as the script
      // likes.
      expect(delay.percentile(99) / 1e6).toBeLessThan(250);
    },
    60_000,
  );
});
