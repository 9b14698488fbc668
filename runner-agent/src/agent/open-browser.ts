/** Opens the agent's browser. When something is missing, logs once what it is and how to get it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { BrowserMissing, BrowserRuntime, type SandboxCheck } from "@svc/probes/browser";
import type { Logger } from "pino";
import type { Config } from "../base/config.ts";

/** The built driver, beside the agent's own bundle. */
const DRIVER_ENTRY = fileURLToPath(new URL("./browser-driver/start.cjs", import.meta.url));

/** Paths to use in place of those that the agent would find. */
interface OpenBrowserOptions {
  /** Path of the driver's bundle. */
  driverEntry?: string;
  sandbox?: SandboxCheck;
}

/** A browser, or the reason why this machine runs no browser checks. */
export type BrowserOrReason =
  | { browser: BrowserRuntime; reason?: undefined }
  | { browser?: undefined; reason: string };

/** Returns the browser, or undefined when there is none: the agent then is assigned no browser checks. */
export function openBrowser(
  config: Config,
  log: Logger,
  options: OpenBrowserOptions = {},
): BrowserRuntime | undefined {
  const { browser, reason } = openBrowserOrReason(config, (message) => log.warn(message), options);
  if (!browser) {
    if (config.browserMemoryBytes === 0) log.debug(`browser checks are not run by this process: ${reason}`);
    else log.warn(`browser checks are not run here: ${reason}`);
    return undefined;
  }
  const { executablePath, ffmpegPath } = browser.browser;
  log.debug({ browser: executablePath, video: ffmpegPath !== undefined }, "browser checks run here");
  if (browser.sandboxProblem !== undefined)
    log.warn(
      `SVC_BROWSER_UNSANDBOXED_SCRIPTS=allow: pages and scripts of browser checks run without a sandbox, and a hostile one can do what this user can (${browser.sandboxProblem})`,
    );
  return browser;
}

/**
 * Returns the browser, or why there is none and what to do.
 * @param warn receives what is wrong with a browser that works
 */
export function openBrowserOrReason(
  config: Config,
  warn: (message: string) => void,
  { driverEntry = DRIVER_ENTRY, sandbox }: OpenBrowserOptions = {},
): BrowserOrReason {
  if (config.browserMemoryBytes === 0) return { reason: "it has no share of SVC_BROWSER_MEMORY_BYTES" };
  if (!existsSync(driverEntry)) return { reason: `${driverEntry} is missing; run \`npm run build\`` };
  try {
    const runtime = new BrowserRuntime({
      driverEntry,
      browserPath: config.browserPath,
      memoryBytesMax: config.browserMemoryBytes,
      allowsUnsandboxedScripts: config.areUnsandboxedScriptsAllowed,
      privateFolders: [resolve(config.sharedDataDir), process.cwd()],
      environment: process.env,
      ...(sandbox ? { sandbox } : {}),
      warn,
    });
    if (runtime.isUsable) return { browser: runtime };
    void runtime.close();
    return { reason: `there is no sandbox: ${runtime.sandboxProblem}` };
  } catch (error) {
    if (!(error instanceof BrowserMissing)) throw error;
    return { reason: error.message };
  }
}
