/**
 * The dashboard's list of checks in a real browser: what it loads, how soon it can be used on a slow machine and line, and what
 * keys and scrolling cost, for 1,000 and 10,000 checks. Beside each figure stands its budget.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pages } from "@svc/contract";
import { findBrowser } from "@svc/probes/browser";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright";
import { startControlPlane } from "../harness/control-plane.ts";
import { signIn } from "../harness/dashboard.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { createLoad, fillResults, openBenchDatabase } from "./bench-database.ts";
import { printTable, quantile } from "./measure.ts";

/** Budgets of a team's list by its number of checks; no limit of requests where the summary has several pages. */
const BUDGETS: readonly ListBudget[] = [
  // KB are 1,000 bytes as they come over the line.
  { checks: 1_000, listKb: 60, requests: 3 },
  { checks: 10_000, listKb: 450 },
];
/** HTML 2, JavaScript 140, styles 14, the list's own part 12. */
const FIRST_LOAD_KB = 168;
const FILTER = "number 12";
const FILTER_ROUNDS = 20;
const SETTLE_MS = 1_500;
/** 10 Mbit/s in both directions, 40 ms there and back. */
const SLOW_LINE = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

/** Notes the time from each key until a new count of the checks is painted, and tasks longer than 50 ms. */
const WATCH = `
  window.benchKeys = []; window.benchLong = [];
  new PerformanceObserver((list) => { for (const task of list.getEntries()) window.benchLong.push(task.duration); })
    .observe({ type: "longtask" });
  let pressedMs; let shown = "";
  const count = () => (/[\\d,]+ of [\\d,]+ checks|[\\d,]+ checks/.exec(document.querySelector("main")?.innerText ?? "") ?? [""])[0];
  addEventListener("keydown", () => { shown = count(); pressedMs = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressedMs === undefined || count() === shown) return;
    const fromMs = pressedMs; pressedMs = undefined;
    requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.benchKeys.push(performance.now() - fromMs); port2.postMessage(0); });
  }).observe(document.body, { subtree: true, childList: true, characterData: true });`;

interface ListBudget {
  checks: number;
  listKb: number;
  requests?: number;
}

/** Cookies of a browser that is signed in. */
type SessionState = Awaited<ReturnType<BrowserContext["storageState"]>>;

interface Figure {
  figure: string;
  value: number;
  /** Absent: the figure has no budget. */
  budget?: number | undefined;
}

/** Measures the list for each size in turn, with a control plane of its own, and prints a table for each. */
export async function dashboardPageBench(): Promise<void> {
  const { executablePath } = findBrowser(process.env.SVC_BROWSER_PATH, process.env);
  for (const budget of BUDGETS) {
    const folder = temporaryFolder();
    const controlPlane = await startControlPlane({
      dataDir: folder.path,
      environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
    });
    const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
    try {
      const database = await openBenchDatabase(folder.path);
      const { checks, locationKey } = await createLoad(controlPlane, database, budget.checks);
      await database.client.query("UPDATE checks SET name = 'Check number ' || key");
      await fillResults(database, checks, locationKey, Date.now() - 60_000, {
        count: 5 * budget.checks,
        order: "by slot",
      });
      await database.close();
      console.log(`\n#### ${budget.checks} checks\n`);
      const figures = await measure(browser, controlPlane.url, budget);
      printTable(figures.map(judged));
    } finally {
      await browser.close();
      await controlPlane.process.stop();
      folder.remove();
    }
  }
}

function judged({ figure, value, budget }: Figure) {
  const isOver = budget !== undefined && value > budget;
  return { figure, value, budget: budget ?? "", "": budget === undefined ? "" : isOver ? "over" : "ok" };
}

async function measure(
  browser: Browser,
  baseURL: string,
  { checks, listKb, requests: requestsMax }: ListBudget,
): Promise<Figure[]> {
  const first = await browser.newContext({ baseURL });
  const page = await first.newPage();
  const cdp = await first.newCDPSession(page);
  await signIn(page);
  await page.goto("/");
  await page.getByRole("banner").waitFor();
  await sleep(SETTLE_MS);
  const requests = await recordRequests(cdp);
  await page.getByRole("navigation").getByRole("link", { name: "Checks" }).first().click();
  await untilListed(page, checks);
  await sleep(SETTLE_MS);
  const list = requests().filter(({ path }) => path.startsWith("/api/") && path !== "/api/live");
  console.log(`${list.map(({ path, bytes }) => `${path} ${bytes} B`).join("\n")}\n`);
  const nodes = Number(await page.evaluate("document.querySelectorAll('*').length"));
  const heapBytes = await heapAfterCollection(cdp);
  const { keys, scrolling } = await measureInput(page);
  const state = await first.storageState();
  await first.close();
  const cold = await measureFirstLoad(browser, { baseURL, state, checks });
  return [
    { figure: "first load of the list: files, KB", value: cold.fileBytes / 1_000, budget: FIRST_LOAD_KB },
    {
      figure: "first load of the list: usable, CPU / 4 and 10 Mbit/s, ms",
      value: cold.usableMs,
      budget: 1_500,
    },
    { figure: "list: requests of the API", value: list.length, budget: requestsMax },
    { figure: "list: KB", value: list.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000, budget: listKb },
    { figure: "DOM nodes", value: nodes, budget: 1_500 },
    { figure: "heap after collection, MB", value: heapBytes / 1e6, budget: 80 },
    { figure: "key in the filter to paint, p50 ms", value: quantile(keys, 0.5) },
    { figure: "key in the filter to paint, p95 ms", value: quantile(keys, 0.95), budget: 50 },
    { figure: "keys measured", value: keys.length },
    { figure: "tasks longer than 50 ms while scrolling", value: scrolling, budget: 0 },
  ];
}

const untilListed = (page: Page, checks: number) =>
  page
    .getByText(new RegExp(`^(${checks}|${checks.toLocaleString("en")}) checks`))
    .first()
    .waitFor();

/** Records what the page asks for from now on; returns a function that tells what it asked for, with its bytes on the line. */
async function recordRequests(cdp: CDPSession): Promise<() => { path: string; bytes: number }[]> {
  const asked = new Map<string, { path: string; bytes: number }>();
  cdp.on("Network.requestWillBeSent", ({ requestId, request }) =>
    asked.set(requestId, { path: new URL(request.url).pathname, bytes: 0 }),
  );
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = asked.get(requestId);
    if (request) request.bytes = encodedDataLength;
  });
  await cdp.send("Network.enable");
  return () => [...asked.values()];
}

async function heapAfterCollection(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("Performance.enable");
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN;
}

async function measureInput(page: Page): Promise<{ keys: number[]; scrolling: number }> {
  await page.evaluate(WATCH);
  const filter = page.getByRole("searchbox", { name: "Filter checks" });
  for (let round = 0; round < FILTER_ROUNDS; round++) {
    await filter.click();
    for (const key of FILTER) {
      await page.keyboard.press(key === " " ? "Space" : key);
      await sleep(300);
    }
    await filter.fill("");
    await sleep(300);
  }
  const keys = ((await page.evaluate("window.benchKeys")) as number[]).sort((a, b) => a - b);
  await page.evaluate("window.benchLong.length = 0");
  await page.getByRole("table", { name: "Checks" }).hover({ position: { x: 200, y: 100 } });
  for (let step = 0; step < 40; step++) {
    await page.mouse.wheel(0, 1_500);
    await sleep(50);
  }
  return { keys, scrolling: Number(await page.evaluate("window.benchLong.length")) };
}

/** Opens the list in a browser that has nothing of it, on a slow machine and line. */
async function measureFirstLoad(
  browser: Browser,
  { baseURL, state, checks }: { baseURL: string; state: SessionState; checks: number },
): Promise<{ fileBytes: number; usableMs: number }> {
  const context = await browser.newContext({ baseURL, storageState: state });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const requests = await recordRequests(cdp);
  await cdp.send("Network.emulateNetworkConditions", SLOW_LINE);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const startMs = performance.now();
  await page.goto(pages.checks.path);
  await untilListed(page, checks);
  const usableMs = performance.now() - startMs;
  await sleep(SETTLE_MS);
  const files = requests().filter(({ path }) => !path.startsWith("/api/"));
  await context.close();
  return { fileBytes: files.reduce((sum, { bytes }) => sum + bytes, 0), usableMs };
}
