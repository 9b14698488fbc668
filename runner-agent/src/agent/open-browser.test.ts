import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../base/config.ts";
import { openBrowser } from "./open-browser.ts";

/** The sandbox can't be made, as where users may not make namespaces. */
const NO_SANDBOX = { bwrapPath: undefined, problem: "users must be allowed to make namespaces" };

let folder: string;
let browserPath: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-browser-"));
  browserPath = join(folder, "chrome");
  writeFileSync(browserPath, "#!/bin/sh\n", { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(settings: Record<string, string>) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const config = parseConfig({
    SVC_RUNNER_KEY: `rk_${"0".repeat(64)}`,
    SVC_CONTROL_PLANE_URL: "http://127.0.0.1:8081",
    SVC_BROWSER_PATH: browserPath,
    ...settings,
  });
  return { browser: openBrowser(config, log, { driverEntry: browserPath, sandbox: NO_SANDBOX }), lines };
}

describe("on a machine that can't make a sandbox", () => {
  it("an agent has no browser, not even for url mode, and says why", () => {
    const { browser, lines } = open({});
    expect(browser).toBeUndefined();
    expect(lines.join()).toMatch(/browser checks are not run here: there is no sandbox/);
  });

  it("the setting that allows it says what it gives up", async () => {
    const { browser, lines } = open({ SVC_BROWSER_UNSANDBOXED_SCRIPTS: "allow" });
    expect(browser?.isUsable).toBe(true);
    expect(lines.join()).toMatch(/a hostile one can do what this user can/);
    await browser?.close();
  });

  it.each([
    [512, 1],
    [1_024, 3],
    [8_192, 41],
  ])("%i MiB for browser runs are %i pages", async (mebibytes, pages) => {
    const { browser } = open({
      SVC_BROWSER_UNSANDBOXED_SCRIPTS: "allow",
      SVC_BROWSER_MEMORY_BYTES: String(mebibytes * 1024 * 1024),
    });
    expect(browser?.pagesMax).toBe(pages);
    await browser?.close();
  });
});
