/**
 * The program that the browser benchmarks measure: `<kind> <url> <warm-up runs> <runs>`. It warms up, prints `warm`,
 * waits for SIGUSR2, does its runs, prints `done`, waits for SIGUSR2 again, closes what it has and prints `closed`.
 */
import { once } from "node:events";
import { createRequire } from "node:module";
import * as esbuild from "esbuild";
import type * as Playwright from "playwright";
import { openBrowserRuntime, resultOf, runBrowserCheck } from "../harness/browser.ts";
import { collectGarbage } from "./measure.ts";

const [kind, url, warmUpRuns, runs] = process.argv.slice(2) as [string, string, string, string];
const signalled = () => once(process, "SIGUSR2");
// Keeps the process from ending while it waits for a signal, and at the end until it is killed.
setInterval(() => {}, 60_000);

const contestant =
  kind === "playwright" ? barePlaywright() : kind === "open browser" ? openBrowser() : svc(kind);
for (let i = 0; i < Number(warmUpRuns); i++) await contestant.run();
collectGarbage();
let go = signalled();
console.log("warm");
await go;
for (let i = 0; i < Number(runs); i++) await contestant.run();
collectGarbage();
go = signalled();
console.log("done");
await go;
await contestant.close();
console.log("closed");

function svc(mode: string) {
  const runtime = openBrowserRuntime();
  const script = `// @step: Load page\nawait page.goto(${JSON.stringify(url)}); await expect(page.locator("h1")).toBeVisible();`;
  const config = mode === "url" ? { browserMode: "url", url } : { browserMode: "scripted", script };
  return {
    async run() {
      const { status, detail } = resultOf(await runBrowserCheck(runtime, config));
      if (status !== "success") throw new Error(`a run did not succeed: ${detail?.errorMessage}`);
    },
    async close() {
      await runtime.close();
      // The compiler of scripts is a process of its own, which ends with the agent's: it is none of the runs'.
      await esbuild.stop();
    },
  };
}

/** Runs the page as a program without svc would: with a browser per run. */
function barePlaywright() {
  return {
    async run() {
      const browser = await launch();
      await loadPage(await browser.newPage());
      await browser.close();
    },
    close: async () => {},
  };
}

/** Runs the page with one browser for all runs and a context for each, as url mode does, without svc. */
function openBrowser() {
  const launched = launch();
  return {
    async run() {
      const context = await (await launched).newContext();
      await loadPage(await context.newPage());
      await context.close();
    },
    close: async () => (await launched).close(),
  };
}

async function launch(): Promise<Playwright.Browser> {
  const { chromium } = createRequire(import.meta.url)("playwright") as typeof Playwright;
  const { executablePath } = openBrowserRuntime().browser;
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}

async function loadPage(page: Playwright.Page): Promise<void> {
  const response = await page.goto(url, { waitUntil: "load" });
  if (response?.status() !== 200) throw new Error("a run did not succeed");
}
