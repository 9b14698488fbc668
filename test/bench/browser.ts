/**
 * Measures the cost of a browser run, CPU and memory of all its processes together: url mode and a script, beside plain
 * Playwright that launches a browser per run, from a process that stays and from one of its own, and beside @elastic/synthetics with
 * the same journey; and the files and processes that many runs leave behind.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { loadavg } from "node:os";
import { join } from "node:path";
import { findBrowser } from "@svc/probes/browser";
import { measureTree } from "../../probes/src/browser/process/watchdog.ts";
import { bundleForChild } from "../../runner-agent/test-support/bundle.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";
import { CpuGroup } from "./cpu-group.ts";
import { printTable, rssMiB } from "./measure.ts";

const ELASTIC = "@elastic/synthetics@1.26.3";
const SAMPLE_MS = 100;
/**
 * Full numbers by SVC_BENCH_RUNS (500 is what docs/performance.md asks for); fewer by default, since each run takes
 * seconds of CPU.
 */
const RUNS = Number(process.env.SVC_BENCH_RUNS ?? 20);
const MIB = 1024 * 1024;

const PAGE = `<!doctype html><title>Shop</title><link rel="stylesheet" href="/style.css"><h1>Welcome</h1>
${"<p>Lorem ipsum dolor sit amet, consetetur sadipscing elitr.</p>".repeat(200)}
${[1, 2, 3].map((n) => `<img src="/${n}.svg" width="80" height="80">`).join("")}
<script src="/script.js"></script>`;
const SCRIPT = `for (let i = 0; i < 300; i++) document.body.append(Object.assign(document.createElement("div"), { textContent: "row " + i }));
fetch("/prices.json").then((answer) => answer.json());`;

interface Cost {
  cpuMs: number;
  peakMiB: number;
}

export async function browserBench(): Promise<void> {
  await withSite(async (url) => {
    const contestants: [string, () => Promise<Cost>][] = [
      ["plain Playwright, a browser per run", () => costOf("playwright", url)],
      ["plain Playwright, a browser that stays", () => costOf("open browser", url)],
      ["svc, url mode", () => costOf("url", url)],
      ["svc, script", () => costOf("script", url)],
      ["bare Node, a process per run that does nothing", () => nodeCost("")],
      ["plain Playwright, a process and a browser per run", () => nodeCost(playwrightProgram(url))],
      ["@elastic/synthetics", () => elasticCost(url)],
    ];
    let floorMs: number | undefined;
    for (const [name, measure] of contestants) {
      const { cpuMs, peakMiB } = await measure();
      floorMs ??= cpuMs;
      // One at a time: all of them take minutes.
      printTable([
        { "": name, "CPU-s per run": cpuMs / 1000, "of Playwright's": cpuMs / floorMs, "peak MiB": peakMiB },
      ]);
    }
    console.log(`${RUNS} runs each; load average ${loadavg()[0]?.toFixed(1)}`);
  });
}

/** Memory after a tenth of the runs and after all, and what is left when the runtime is closed. */
export async function browserSoakBench(): Promise<void> {
  await withSite(async (url) => {
    for (const kind of ["url", "script"]) printTable([await soak(kind, url)]);
  });
}

async function soak(kind: string, url: string): Promise<Record<string, string | number>> {
  const early = Math.max(5, Math.round(RUNS / 10));
  const temporary = temporaryFolder();
  try {
    return await withWorker(
      kind,
      url,
      { warmUp: early, runs: RUNS, temporary: temporary.path },
      async (worker) => {
        const first = memoryOf(kind, worker);
        await worker.go();
        const last = memoryOf(kind, worker);
        await worker.close();
        return {
          "": `svc, ${kind}`,
          [`MiB after ${early} runs`]: first.residentBytes / MIB,
          [`after ${RUNS} more`]: last.residentBytes / MIB,
          ratio: last.residentBytes / first.residentBytes,
          "processes then": first.processes,
          "and at the end": last.processes,
          "left when closed": worker.group.processes - 1,
          "temporary files left": readdirSync(temporary.path).length,
        };
      },
    );
  } finally {
    temporary.remove();
  }
}

/** Url mode: of all processes. A script's end with it and the next one's may have begun: of the agent's side alone. */
function memoryOf(kind: string, { pid }: Worker): { processes: number; residentBytes: number } {
  const tree = measureTree(pid);
  return kind === "url" ? tree : { ...tree, residentBytes: rssMiB(pid) * MIB };
}

interface Worker {
  pid: number;
  group: CpuGroup;
  /** Lets it do its runs, and waits for them. */
  go(): Promise<void>;
  /** Lets it close what it has. */
  close(): Promise<void>;
}

async function withWorker<T>(
  kind: string,
  url: string,
  { warmUp, runs, temporary }: { warmUp: number; runs: number; temporary?: string },
  use: (worker: Worker) => Promise<T>,
): Promise<T> {
  const group = new CpuGroup(kind.replace(" ", "-"));
  const bundle = await bundleForChild("browser-bench", `import ${JSON.stringify(workerSource)};`);
  const command = [process.execPath, bundle.path, kind, url, String(warmUp), String(runs)];
  const { SVC_BROWSER_PATH } = process.env;
  const child = group.start(command, {
    ...(SVC_BROWSER_PATH === undefined ? {} : { SVC_BROWSER_PATH }),
    ...(temporary === undefined ? {} : { TMPDIR: temporary }),
  });
  const said = (word: string) =>
    until(
      `the worker says ${word}`,
      () => {
        if (child.hasEnded() && !child.output().includes(word)) throw new Error(child.output());
        return child.output().includes(`${word}\n`);
      },
      { withinMs: 3_600_000 },
    );
  try {
    await said("warm");
    return await use({
      pid: child.pid,
      group,
      async go() {
        child.signal("SIGUSR2");
        await said("done");
      },
      async close() {
        child.signal("SIGUSR2");
        await said("closed");
      },
    });
  } finally {
    await child.kill9();
    bundle.remove();
    await until("its processes have ended", () => group.processes === 0);
    group.remove();
  }
}

const workerSource = join(import.meta.dirname, "browser-worker.ts");

async function costOf(kind: string, url: string): Promise<Cost> {
  return withWorker(kind, url, { warmUp: 3, runs: RUNS }, async (worker) => {
    const startMs = worker.group.cpuMs;
    const peak = watchPeak(worker.pid);
    await worker.go();
    const cpuMs = (worker.group.cpuMs - startMs) / RUNS;
    return { cpuMs, peakMiB: peak.stop() };
  });
}

/** A process per run, as Heartbeat starts it: its own command line, without pictures and throttling. */
async function elasticCost(url: string): Promise<Cost> {
  const folder = temporaryFolder();
  try {
    const modules = installElastic(folder.path);
    const journeys = join(modules, "svc-journeys");
    execFileSync("mkdir", ["-p", journeys]);
    writeFileSync(
      join(journeys, "shop.journey.js"),
      `const { journey, step, expect } = require("@elastic/synthetics");
       journey("shop", ({ page }) => { step("Load page", async () => {
         await page.goto(${JSON.stringify(url)}); await expect(page.locator("h1")).toBeVisible(); }); });`,
    );
    const { executablePath } = findBrowser(process.env.SVC_BROWSER_PATH, process.env);
    const command = [
      process.execPath,
      join(modules, "node_modules/@elastic/synthetics/dist/cli.js"),
      journeys,
      "--screenshots",
      "off",
      "--no-throttling",
      "--reporter",
      "json",
      "--playwright-options",
      JSON.stringify({ executablePath }),
    ];
    return await processCost(command, { NODE_ENV: "production" });
  } finally {
    folder.remove();
  }
}

/** A Node process per run. @param program CommonJS */
async function nodeCost(program: string): Promise<Cost> {
  const folder = temporaryFolder();
  try {
    const path = join(folder.path, "program.cjs");
    writeFileSync(path, program);
    return await processCost([process.execPath, path], {});
  } finally {
    folder.remove();
  }
}

/** Loads the page as a script of svc does, without svc. */
function playwrightProgram(url: string): string {
  const { executablePath } = findBrowser(process.env.SVC_BROWSER_PATH, process.env);
  return `
    const { chromium } = require(${JSON.stringify(createRequire(import.meta.url).resolve("playwright"))});
    (async () => {
      const browser = await chromium.launch({ executablePath: ${JSON.stringify(executablePath)}, chromiumSandbox: process.getuid() !== 0 });
      const page = await browser.newPage();
      await page.goto(${JSON.stringify(url)});
      await page.locator("h1").waitFor();
      await browser.close();
    })();`;
}

/** Cost of a run that is a process of its own, over as many as are asked for. */
async function processCost(command: readonly string[], environment: Record<string, string>): Promise<Cost> {
  const group = new CpuGroup("process");
  try {
    let peakMiB = 0;
    const startMs = group.cpuMs;
    for (let i = 0; i < RUNS; i++) {
      const child = group.start(command, environment);
      const peak = watchPeak(child.pid);
      const code = await child.ended;
      peakMiB = Math.max(peakMiB, peak.stop());
      if (code !== 0) throw new Error(`${command[1]} ended with ${code}:\n${child.output().slice(-2000)}`);
    }
    return { cpuMs: (group.cpuMs - startMs) / RUNS, peakMiB };
  } finally {
    await until("its processes have ended", () => group.processes === 0);
    group.remove();
  }
}

/** @returns the folder whose node_modules has it; SVC_BENCH_ELASTIC names one that is there already */
function installElastic(folder: string): string {
  if (process.env.SVC_BENCH_ELASTIC !== undefined) return process.env.SVC_BENCH_ELASTIC;
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ELASTIC];
  const environment = { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1", PUPPETEER_SKIP_DOWNLOAD: "1" };
  execFileSync("npm", install, { env: environment, stdio: "ignore" });
  return folder;
}

/** Largest memory of a tree of processes, of which none is shared with a file, while it is looked at. */
function watchPeak(pid: number): { stop(): number } {
  let bytes = 0;
  const look = () => {
    bytes = Math.max(bytes, measureTree(pid).residentBytes);
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return bytes / MIB;
    },
  };
}

async function withSite(use: (url: string) => Promise<void>): Promise<void> {
  const site = http.createServer((request, response) => {
    const [type, body] = partOf(request.url ?? "/");
    response.setHeader("content-type", type).end(body);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  try {
    await use(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  } finally {
    site.closeAllConnections();
    site.close();
  }
}

function partOf(path: string): [type: string, body: string] {
  if (path.endsWith(".css")) return ["text/css", "h1 { color: navy } p { margin: 0 }"];
  if (path.endsWith(".js")) return ["text/javascript", SCRIPT];
  if (path.endsWith(".json")) return ["application/json", "[1, 2, 3]"];
  if (path.endsWith(".svg"))
    return [
      "image/svg+xml",
      '<svg xmlns="http://www.w3.org/2000/svg"><circle cx="40" cy="40" r="30"/></svg>',
    ];
  return ["text/html", PAGE];
}
