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

/** Returns the browser, or undefined when there is none: the agent then is assigned no browser checks. */
export function openBrowser(
  config: Config,
  log: Logger,
  { driverEntry = DRIVER_ENTRY, sandbox }: OpenBrowserOptions = {},
): BrowserRuntime | undefined {
  if (config.browserMemoryBytes === 0) {
    log.debug("browser checks are not run by this process: it has no share of SVC_BROWSER_MEMORY_BYTES");
    return undefined;
  }
  if (!existsSync(driverEntry)) {
    log.warn(`browser checks are not run here: ${driverEntry} is missing; run \`npm run build\``);
    return undefined;
  }
  try {
    const runtime = new BrowserRuntime({
      driverEntry,
      browserPath: config.browserPath,
      memoryBytesMax: config.browserMemoryBytes,
      allowsUnsandboxedScripts: config.areUnsandboxedScriptsAllowed,
      privateFolders: [resolve(config.sharedDataDir), process.cwd()],
      environment: process.env,
      ...(sandbox ? { sandbox } : {}),
      warn: (message) => log.warn(message),
    });
    const { executablePath, ffmpegPath } = runtime.browser;
    log.debug({ browser: executablePath, video: ffmpegPath !== undefined }, "browser checks run here");
    if (runtime.sandboxProblem !== undefined) log.warn(sandboxLine(runtime));
    if (runtime.isUsable) return runtime;
    void runtime.close();
    return undefined;
  } catch (error) {
    if (!(error instanceof BrowserMissing)) throw error;
    log.warn(`browser checks are not run here: ${error.message}`);
    return undefined;
  }
}

function sandboxLine({ isUsable, sandboxProblem }: BrowserRuntime): string {
  return isUsable
    ? `SVC_BROWSER_UNSANDBOXED_SCRIPTS=allow: pages and scripts of browser checks run without a sandbox, and a hostile one can do what this user can (${sandboxProblem})`
    : `browser checks are not run here, since there is no sandbox: ${sandboxProblem}`;
}
