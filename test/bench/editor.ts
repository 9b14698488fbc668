/**
 * Opening the editor of checks on a slow machine: from the click on "New check" or "Edit" in a dashboard that is loaded until
 * a field of the form has taken a key, and the same from the address. Each round is a browser session of its own that has
 * loaded nothing before.
 */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pagePath, pages } from "@svc/contract";
import { findBrowser } from "@svc/probes/browser";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright";
import { startControlPlane } from "../harness/control-plane.ts";
import { signIn } from "../harness/dashboard.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { createLoad, openBenchDatabase } from "./bench-database.ts";
import { median, printTable, threadCpuUs } from "./measure.ts";

const CHECKS = 100;
const ROUNDS = 7;
/** Time in which a loaded page comes to rest. */
const SETTLE_MS = 2_000;
const CPU_RATE = 4;
/** Time between the pointer's arrival at a link and the click. */
const HOVER_MS = 400;
const BUDGET_MS = 300;

/** Steps of a script: as long as one that somebody keeps. */
const SCRIPT = Array.from(
  { length: 40 },
  (_, n) =>
    `// @step: Step ${n}\nawait page.goto("https://shop.example/${n}");\nawait page.getByRole("link", { name: "Next" }).click();\n`,
).join("\n");

/**
 * Watches for the field: it is focused as soon as the page is open, `benchFocused` is called, and once it has taken a key and
 * the next frame is painted the instant is kept. Time begins with the click, or with the page.
 */
const watchFor = (label: string) => `(() => {
  let fromMs = 0;
  addEventListener("click", () => { fromMs = performance.now(); }, { capture: true, once: true });
  const find = () => document.querySelector('main form textarea[aria-label="${label}"]') ??
    [...document.querySelectorAll("main form label")].find((one) => one.textContent.trim() === "${label}")?.control;
  const onPainted = (act) => requestAnimationFrame(() => { const { port1, port2 } = new MessageChannel();
    port1.onmessage = act; port2.postMessage(0); });
  const look = () => {
    const field = find();
    // A page that opens takes the focus to its heading first.
    if (!field || document.activeElement?.tagName !== "H1") return requestAnimationFrame(look);
    field.focus();
    field.addEventListener("input", () => onPainted(() => benchDone(performance.now() - fromMs)),
      { once: true });
    benchFocused("");
  };
  look();
})()`;

/** One way to the form. */
interface Way {
  title: string;
  /** Page that the link stands on; absent: the address of the form is opened. */
  from?: string;
  link?: string;
  to: string;
  /** Field that takes the key. */
  field: string;
  budgetMs?: number;
}

interface Opened {
  openMs: number;
  cpuMs: number;
}

/** Cookies of a browser that is signed in. */
type SessionState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Measures each way, and prints a table. */
export async function editorBench(): Promise<void> {
  const { executablePath } = findBrowser(process.env.SVC_BROWSER_PATH, process.env);
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  try {
    const database = await openBenchDatabase(folder.path);
    const { checks } = await createLoad(controlPlane, database, CHECKS);
    await database.close();
    const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: "scripted",
      type: "browser",
      frequencySeconds: 300,
      locations: ["loc_us_east"],
      browserConfig: { browserMode: "scripted", script: SCRIPT },
    });
    const first = await browser.newContext({ baseURL: controlPlane.url });
    await signIn(await first.newPage());
    const state = await first.storageState();
    await first.close();
    const rows = [];
    for (const way of waysTo(checks[0]?.id ?? "", check.id)) {
      const opened = [];
      for (let round = 0; round < ROUNDS; round++)
        opened.push(await open(browser, { baseURL: controlPlane.url, state, way }));
      const middle = median(opened.map(({ cpuMs }) => cpuMs));
      const { title, field, budgetMs } = way;
      rows.push({
        way: title,
        "field that takes the key": field,
        "time, shortest ms": Math.min(...opened.map(({ openMs }) => openMs)),
        "time, median ms": median(opened.map(({ openMs }) => openMs)),
        "CPU of the page, median ms": middle,
        budget: budgetMs ?? "",
        "": budgetMs === undefined ? "" : middle > budgetMs ? "over" : "ok",
      });
    }
    printTable(rows);
  } finally {
    await browser.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

function waysTo(http: string, scripted: string): Way[] {
  const check = (id: string) => pagePath("check", { id });
  const edit = (id: string) => pagePath("editCheck", { id });
  const click = { link: "Edit", budgetMs: BUDGET_MS };
  return [
    {
      title: "New check, from the list",
      from: pages.checks.path,
      link: "New check",
      to: pages.newCheck.path,
      field: "URL",
      budgetMs: BUDGET_MS,
    },
    { title: "Edit of an http check", from: check(http), to: edit(http), field: "Name", ...click },
    { title: "Edit of a scripted check", from: check(scripted), to: edit(scripted), field: "Name", ...click },
    {
      title: "Edit of a scripted check",
      from: check(scripted),
      to: edit(scripted),
      field: "Script",
      ...click,
    },
    { title: "New check, by its address, nothing loaded", to: pages.newCheck.path, field: "URL" },
    { title: "Edit of a scripted check, by its address", to: edit(scripted), field: "Name" },
  ];
}

/** Opens the form once. @returns the time until its field had taken a key and was painted, and the page's CPU of it, ms */
async function open(
  browser: Browser,
  { baseURL, state, way }: { baseURL: string; state: SessionState; way: Way },
): Promise<Opened> {
  const context = await browser.newContext({ baseURL, storageState: state });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(90_000);
    const cdp = await context.newCDPSession(page);
    let done = (_openMs: number) => {};
    const whenDone = new Promise<number>((resolve) => {
      done = resolve;
    });
    let fromCpuMs = 0;
    await page.exposeFunction("benchFocused", () => pressKey(cdp));
    await page.exposeFunction("benchDone", (openMs: number) => done(openMs));
    if (way.from === undefined) {
      await page.addInitScript(watchFor(way.field));
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_RATE });
      fromCpuMs = await pageCpuMs(browser);
      await page.goto(way.to);
    } else {
      await page.goto(way.from);
      const link = page.getByRole("link", { name: way.link ?? "", exact: true });
      await link.waitFor();
      await sleep(SETTLE_MS);
      const box = await link.boundingBox();
      await page.evaluate(watchFor(way.field));
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_RATE });
      await pointAt(page, box);
      fromCpuMs = await pageCpuMs(browser);
      await page.mouse.down();
      await page.mouse.up();
    }
    const openMs = await whenDone;
    return { openMs, cpuMs: (await pageCpuMs(browser)) - fromCpuMs };
  } finally {
    await context.close();
  }
}

/**
 * Returns the CPU of all pages' main threads so far, ms, the waits of the slower machine included. It does not depend on
 * what else the machine does, as the time does.
 */
async function pageCpuMs(browser: Browser): Promise<number> {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  await cdp.detach();
  return processInfo
    .filter(({ type, id }) => type === "renderer" && existsSync(`/proc/${id}`))
    .reduce((sum, { id }) => sum + threadCpuUs(id) / 1_000, 0);
}

/** Moves the pointer to the middle of the box, and waits as long as a person at least does before the click. */
async function pointAt(page: Page, box: { x: number; y: number; width: number; height: number } | null) {
  if (!box) throw new Error("the link is not shown");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await sleep(HOVER_MS);
}

async function pressKey(cdp: CDPSession): Promise<void> {
  const key = { key: "a", code: "KeyA", windowsVirtualKeyCode: 65 };
  await cdp.send("Input.dispatchKeyEvent", { type: "keyDown", text: "a", ...key });
  await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
}
