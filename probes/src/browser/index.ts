/**
 * The part of the package that carries out browser checks. Apart from the rest, since only an agent with a browser
 * loads it.
 */
export { BrowserRuntime, type BrowserRuntimeOptions } from "./browser-runtime.ts";
export { BrowserMissing, findBrowser } from "./find-browser.ts";
export { checkSandbox, type SandboxCheck } from "./process/sandbox.ts";
