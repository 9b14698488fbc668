export * from "../run/artifacts.ts";
export * from "./browser-runtime.ts";
export { BrowserMissing, type FoundBrowser, findBrowser } from "./find-browser.ts";
export { checkSandbox } from "./process/sandbox.ts";
