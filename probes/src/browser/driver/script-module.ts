/** A script as a module: the modules that it can import, and the compilation of its text to a function. */
import { createRequire } from "node:module";
import vm from "node:vm";
import { type APIRequest, errors, request as playwrightRequest } from "playwright";
import type { Fixtures } from "./test-tree.ts";

/** Name of the script's file in stacks. */
export const SCRIPT_FILE = "script.ts";
const MODULES = ["@playwright/test", "playwright/test", "playwright", "playwright-core"];

/** The way out of requests that belong to no context: the proxy's port, and whether it stands for the targets. */
export interface WayOut {
  proxyPort: number;
  proxyStandsIn: boolean;
}

/** Returns the exports of `@playwright/test` for a script. */
export async function playwrightTestExports({ proxyPort, proxyStandsIn }: WayOut) {
  const { expect } = await import("playwright/test");
  const { chromium, devices, selectors } = await import("playwright");
  const proxy = { server: `http://127.0.0.1:${proxyPort}`, bypass: "<-loopback>" };
  const request: APIRequest = {
    newContext: (options) =>
      playwrightRequest.newContext({ proxy, ...(proxyStandsIn && { ignoreHTTPSErrors: true }), ...options }),
  };
  return { expect, chromium, devices, selectors, request, errors };
}
/** The exports of `@playwright/test` that a script can import besides `test`. */
export type PlaywrightExports = Awaited<ReturnType<typeof playwrightTestExports>>;

/**
 * Returns the script as a function.
 * @throws Error when it imports a module that scripts don't have
 */
export function compileScript(
  code: string,
  exports: Record<string, unknown>,
): (fixtures: Fixtures) => Promise<void> {
  const builtIn = createRequire(import.meta.url);
  const require = (name: string) => {
    if (MODULES.includes(name)) return { __esModule: true, ...exports };
    if (name.startsWith("node:") || ["assert", "crypto", "util", "url", "path", "buffer"].includes(name))
      return builtIn(name);
    throw new Error(`scripts can import @playwright/test and Node's own modules; there is no "${name}"`);
  };
  const module = { exports: {} as { default?: unknown } };
  const run = vm.runInThisContext(`(function (module, exports, require, expect, test) {${code}\n})`, {
    filename: SCRIPT_FILE,
  });
  run(module, module.exports, require, exports.expect, exports.test);
  return module.exports.default as (fixtures: Fixtures) => Promise<void>;
}
