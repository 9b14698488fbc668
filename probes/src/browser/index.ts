export * from "./browser-runtime.ts";
export { BrowserMissing, type FoundBrowser, findBrowser } from "./find-browser.ts";
export * from "./host.ts";
export { checkSandbox } from "./process/sandbox.ts";
