import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSandbox } from "@svc/probes/browser";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseConfig } from "../base/config.ts";
import { openBrowser } from "./open-browser.ts";

vi.mock("node:child_process", async (original) => {
  const real = await original<typeof import("node:child_process")>();
  // The sandbox can't be made, as where users may not make namespaces.
  return { ...real, spawnSync: () => ({ status: 1, stderr: "bwrap: No permissions to create new namespace" }) };
});

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
  const config = parseConfig({ SVC_RUNNER_KEY: "rk_test", SVC_BROWSER_PATH: browserPath, ...settings });
  return { browser: openBrowser(config, log, browserPath), lines };
}

describe("on a machine that can't make a sandbox", () => {
  it("an agent has no browser, not even for url mode, and says why", () => {
    expect(checkSandbox().problem).toBeDefined();
    const { browser, lines } = open({});
    expect(browser).toBeUndefined();
    expect(lines.join()).toMatch(/browser checks are not run here, since there is no sandbox/);
  });

  it("the setting that allows it says what it gives up", async () => {
    const { browser, lines } = open({ SVC_BROWSER_UNSANDBOXED_SCRIPTS: "allow" });
    expect(browser?.isUsable).toBe(true);
    expect(lines.join()).toMatch(/a hostile one can do what this user can/);
    await browser?.close();
  });
});
