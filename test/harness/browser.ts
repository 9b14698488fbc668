/**
 * Browser checks without an agent around them, and what of a browser this machine has; tests that need more of it are
 * left out, with the way to have it in their title.
 */
import { join } from "node:path";
import { browserConfigSchema } from "@svc/contract";
import type { ProbeContext, ProbeOutcome, RunResult } from "@svc/probes";
import {
  BrowserMissing,
  BrowserRuntime,
  type BrowserRuntimeOptions,
  checkSandbox,
  findBrowser,
} from "@svc/probes/browser";
import { ROOT } from "./control-plane.ts";

export const hasBrowser = lookForBrowser();
export const hasSandbox = hasBrowser && checkSandbox().problem === undefined;

export const hasVideo =
  hasBrowser && findBrowser(process.env.SVC_BROWSER_PATH, process.env).ffmpegPath !== undefined;

/** Ends the title of a suite that is left out. */
export const BROWSER_ADVICE = hasBrowser
  ? ""
  : " (install Debian's package chromium-headless-shell to have it)";
export const SANDBOX_ADVICE = hasSandbox
  ? ""
  : " (install Debian's packages chromium-headless-shell and bubblewrap to have it)";

function lookForBrowser(): boolean {
  try {
    findBrowser(process.env.SVC_BROWSER_PATH, process.env);
    return true;
  } catch (error) {
    if (error instanceof BrowserMissing) return false;
    throw error;
  }
}

/** Browser checks as the built agent runs them; close it. */
export function openBrowserRuntime(options: Partial<BrowserRuntimeOptions> = {}): BrowserRuntime {
  return new BrowserRuntime({
    driverEntry: join(ROOT, "runner-agent/dist/browser-driver/start.cjs"),
    browserPath: process.env.SVC_BROWSER_PATH,
    memoryBytesMax: 4 * 1024 ** 3,
    allowsUnsandboxedScripts: false,
    privateFolders: [],
    environment: process.env,
    warn: () => {},
    ...options,
  });
}

/**
 * One run of a configuration that the contract completes.
 * @param context parts of the surroundings that differ; the default way out leads to any address but metadata services
 */
export function runBrowserCheck(
  runtime: BrowserRuntime,
  config: Record<string, unknown>,
  context: Partial<ProbeContext> = {},
): Promise<ProbeOutcome> {
  const request = {
    checkId: "chk_1",
    type: "browser",
    config: browserConfigSchema.parse({ screenshotMode: "disabled", ...config }),
    retry: null,
    slotMs: 0,
    frequencySeconds: 60,
  };
  return runtime.run(request, {
    signal: new AbortController().signal,
    allowPrivateAddresses: true,
    nowMs: () => Date.now(),
    userAgent: "svc",
    ...context,
  });
}

/** @throws when the run was this runner's fault */
export function resultOf(outcome: ProbeOutcome): RunResult {
  if (outcome.kind !== "result") throw new Error(`a fault: ${outcome.reason}, ${outcome.message}`);
  return outcome;
}

/** The lines that a script or page logged, by the type of the log. */
export function linesOf(result: RunResult, type: "script" | "log"): string[] {
  return (result.detail?.consoleLogsJson ?? []).filter((log) => log.type === type).map(({ text }) => text);
}
