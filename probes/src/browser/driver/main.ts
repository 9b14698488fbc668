/**
 * A browser driver: the process between an agent and a browser. It launches one Chromium and carries out the runs it is told
 * to; everything about a page happens in here, so that neither Playwright's work nor a hostile page is ever in the agent.
 * It lives as long as its stdin.
 */
import { createInterface } from "node:readline";
import { type Browser, chromium } from "playwright";
import type { LaunchOrder, Order, RunOrder } from "../protocol/messages.ts";
import { openBridge } from "./bridge.ts";
import { BROWSER_ARGUMENTS } from "./browser-arguments.ts";
import { openNews, type Tell } from "./frame-writer.ts";
import { runScript } from "./run-script.ts";
import { runUrl } from "./run-url.ts";
import { tidyHeap } from "./tidy-heap.ts";

let tell: Tell = () => {};
let browser: Browser | undefined;
const proxyPorts: number[] = [];

/** Begins to take orders. */
export function serve(): void {
  tell = openNews();
  const orders = createInterface({ input: process.stdin, terminal: false });
  orders.on("line", (line) => void obey(JSON.parse(line) as Order).catch(fail));
  orders.on("close", () => process.exit(0));
}

/** Loads what scripts need. */
export function loadLibraries(): Promise<unknown> {
  return import("playwright/test");
}

async function obey(order: Order): Promise<void> {
  if (order.type === "launch") await launch(order);
  else await run(order);
}

async function launch(order: LaunchOrder): Promise<void> {
  for (const path of order.egressSockets) proxyPorts.push(await openBridge(path));
  if (order.isForScripts) await loadLibraries();
  browser = await (order.browserEndpoint === undefined
    ? chromium.launch({
        executablePath: order.executablePath,
        chromiumSandbox: order.usesChromiumSandbox,
        args: [...BROWSER_ARGUMENTS],
        // What a context of its own does not say otherwise: a proxy that leads nowhere, or to the one run there is.
        proxy: {
          server: `http://127.0.0.1:${order.isForScripts ? proxyPorts[0] : 1}`,
          bypass: "<-loopback>",
        },
      })
    : chromium.connect(order.browserEndpoint));
  browser.on("disconnected", () => fail(new Error("the browser ended")));
  tell({ type: "ready", browserVersion: browser.version() });
}

async function run(order: RunOrder): Promise<void> {
  const proxyPort = proxyPorts[order.slot];
  if (!browser || proxyPort === undefined) throw new Error("no browser was launched for this run");
  tell({ type: "started", runId: order.runId });
  const parts = { browser, order, proxyPort, tell };
  const report = await (order.job.kind === "url" ? runUrl(parts) : runScript(parts));
  tell({ type: "done", runId: order.runId, report });
  tidyHeap();
}

/** What nobody expected ends the driver: the agent starts another. */
function fail(error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ type: "failed", message: message.slice(0, 4000) });
  setTimeout(() => process.exit(1), 50);
}
