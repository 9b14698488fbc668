import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpServer } from "../../probes/test-support/servers.ts";
import {
  hasSandbox,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";

/** Parts of a minute that a script may have, ms. */
const TIMEOUT_MS = 5_000;
/** Lateness of a timer, and the end of the box's processes, on a busy machine. Far below what closing a run may take. */
const LATENESS_MS = 5_000;
/** Start of the box and of its browser on a busy machine. */
const START_MS = 12_000;

/** The report of a run that was a success. */
const REPORT = {
  status: "success",
  cause: null,
  errorMessage: null,
  scriptLine: null,
  httpStatusCode: null,
  documentUrl: null,
  startedAtMs: 0,
  elapsedMs: 0,
  responseTimeMs: 0,
  tlsHandshakeMs: null,
  ttfbMs: null,
  contentTransferMs: null,
  webVitals: null,
  networkRequests: [],
  requestsByHost: [],
  consoleLogs: [],
  agentView: null,
  pageOutline: null,
  notes: [],
  isClean: true,
};

let runtime: BrowserRuntime;
beforeAll(() => {
  if (hasSandbox) runtime = openBrowserRuntime();
});
afterAll(async () => {
  await runtime?.close();
});

const attack = (script: string) =>
  runBrowserCheck(runtime, { browserMode: "scripted", script, timeoutMs: TIMEOUT_MS });

describe.runIf(hasSandbox)(`a script that holds on${SANDBOX_ADVICE}`, () => {
  it("and spins is ended 2 s after its time limit", async () => {
    const startedMs = performance.now();
    const result = resultOf(await attack("for (;;) {}"));
    expect(result).toMatchObject({ status: "timeout" });
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS + 2_000 + START_MS);
  });

  it.each([
    ["it begins anew, without end", `{"type":"script_started","runId":1}`, "timeout"],
    ["it has ended", JSON.stringify({ type: "script_ended", runId: 1, report: REPORT }), "success"],
  ])("and claims that %s gains no time by it", async (_name, message, status) => {
    let begunMs = 0;
    const url = await httpServer((_request, response) => {
      begunMs ||= performance.now();
      response.end();
    });
    const claim = `fs.writeSync(3, ${JSON.stringify(`${message}\n`)});`;
    // The claim is repeated for as long as the script may send anything.
    const spin = `const untilMs = Date.now() + 100_000;
        for (let n = 0; Date.now() < untilMs; n++) if (n % 1e8 === 0 && n < 50e8) ${claim}`;
    const result = resultOf(
      await attack(
        `import fs from "node:fs"; await page.request.get(${JSON.stringify(url)}); ${claim} ${spin}`,
      ),
    );
    // A script that claims a success harms only the team that wrote it; it may not go on.
    expect(result).toMatchObject({ status });
    expect(begunMs).toBeGreaterThan(0);
    expect(performance.now() - begunMs).toBeLessThan(TIMEOUT_MS + 2_000 + LATENESS_MS);
  });

  it("in its page keeps its result and its step, though the last picture never comes", async () => {
    const script = "// @step: Spin\nawait page.evaluate(() => { for (;;) {} });";
    const config = { browserMode: "scripted", script, timeoutMs: TIMEOUT_MS, screenshotMode: "every_step" };
    const { status, detail, responseTimeUs } = resultOf(await runBrowserCheck(runtime, config));
    expect(status).toBe("timeout");
    expect(detail?.errorMessage).toContain(`did not end within ${TIMEOUT_MS} ms in step "Spin"`);
    expect(detail?.steps).toMatchObject([{ name: "Spin", status: "timeout" }]);
    expect(detail?.notes).toContainEqual(expect.stringContaining("2000 ms after its time limit"));
    expect(responseTimeUs / 1000).toBeGreaterThanOrEqual(TIMEOUT_MS);
  });

  it.each([
    ["news without end", `for (;;) fs.writeSync(3, '{"type":"started","runId":1}\\n'.repeat(1000));`],
    ["bytes without end, one at a time", `for (;;) fs.writeSync(3, "a");`],
    ["lists without end", `for (;;) fs.writeSync(3, "[" + "0,".repeat(400_000) + "0]\\n");`],
  ])("and sends %s leaves the agent's loop free", async (_name, flood) => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const result = resultOf(await attack(`import fs from "node:fs";\n${flood}`));
    delay.disable();
    expect(result.status).not.toBe("success");
    // A quarter of a second allows for a busy machine; without limits the loop stands still for as long as the script
    // likes.
    expect(delay.percentile(99) / 1e6).toBeLessThan(250);
  });
});
