/** Hostile browser scripts that a seed makes: each ends in its time and leaves neither processes nor folders behind. */
import { readdirSync, readFileSync } from "node:fs";
import type { BrowserRuntime } from "@svc/probes/browser";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUZZ_INPUTS } from "../../contract/test-support/fuzz.ts";
import { hasSandbox, openBrowserRuntime, runBrowserCheck, SANDBOX_ADVICE } from "../harness/browser.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";

/** A script may take its whole limit, so that few are tried beside other tests. */
const SCRIPTS = Math.ceil(FUZZ_INPUTS / 500);
const SEED = Number(process.env.SVC_FUZZ_SEED ?? 20_26);
const TIMEOUT_MS = 5_000;
/** Time beyond its limit in which a script is ended, counted from the instant at which it began. */
const OVERTIME_MS = 2_000;
/** Lateness of a timer on a busy machine. */
const LATENESS_MS = 500;
/** Start of the box and of its browser on a busy machine. */
const START_MS = 20_000;

const count = (max: number) => fc.integer({ min: 1, max });
const url = "data:text/html,<p>hello</p>";

/** Pieces of scripts, each hostile in its own way; those that end are followed by a further one. */
const PIECES: fc.Arbitrary<string>[] = [
  // Time.
  fc.constant("for (;;) {}"),
  fc.constant("await new Promise(() => {});"),
  fc.constant("const spin = () => Promise.resolve().then(spin); await spin();"),
  fc.constant("await page.evaluate(() => { for (;;) {} });"),
  count(5_000).map((n) => `for (let i = 0; i < ${n}; i++) setInterval(() => {}, 1);`),
  fc.constant("setInterval(() => { for (;;) {} }, 1); await new Promise(() => {});"),
  // Memory.
  count(200).map((n) => `globalThis.kept = Array.from({ length: ${n} }, () => Buffer.alloc(10_000_000, 1));`),
  fc.constant("let text = 'x'; for (;;) text += text.slice(0, 1_000_000);"),
  fc.constant("const all = []; for (;;) all.push(new Array(1_000_000).fill({}));"),
  fc.constant(
    "await page.evaluate(() => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)); });",
  ),
  // Processes and threads.
  count(300).map(
    (n) =>
      `const { spawn } = await import("node:child_process");
       for (let i = 0; i < ${n}; i++) spawn("/bin/sh", ["-c", "while :; do :; done"], { detached: true }).on("error", () => {});`,
  ),
  count(50).map(
    (n) =>
      `const { Worker } = await import("node:worker_threads");
       for (let i = 0; i < ${n}; i++) new Worker("for (;;) {}", { eval: true }).on("error", () => {});`,
  ),
  // Output.
  count(100_000).map((n) => `for (let i = 0; i < ${n}; i++) console.log("x".repeat(1000));`),
  count(20).map((n) => `console.log("x".repeat(${n} * 1_000_000));`),
  // Pages.
  fc.constant(
    `await page.setViewportSize({ width: 4000, height: 4000 }); for (let i = 0; i < 20; i++) await page.screenshot();`,
  ),
  fc.constant(`for (;;) await page.goto("${url}" + Math.random());`),
  fc.constant(`await page.goto("${url}"); await page.evaluate(() => { alert(1); confirm(2); prompt(3); });`),
  count(200).map((n) => `for (let i = 0; i < ${n}; i++) await page.context().newPage();`),
  fc.constant(
    `await page.evaluate(() => { for (let i = 0; i < 50; i++) { const a = document.createElement("a");
       a.href = URL.createObjectURL(new Blob(["x".repeat(1e6)])); a.download = "f" + i; a.click(); } });`,
  ),
  fc.constant(
    `await page.evaluate(() => { for (let i = 0; i < 50; i++)
       new Worker(URL.createObjectURL(new Blob(["for (;;) {}"]))); });`,
  ),
  // The script's own surroundings.
  fc.constant("Object.prototype.then = () => {}; Object.prototype.type = 'x'; Array.prototype.map = null;"),
  fc.constant("globalThis.Promise = class {}; JSON.stringify = () => { for (;;) {} };"),
  fc.constant("process.on('SIGTERM', () => {}); process.exit = () => {}; for (;;) {}"),
  fc.constant("process.exit(0);"),
  fc.constant("process.kill(process.pid, 'SIGSTOP');"),
  fc.constant("throw { get message() { for (;;) {} } };"),
];

/** Returns the numbers of the processes that this one has begun, and theirs. */
function descendants(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") parents.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === process.pid || isOurs(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
}

let runtime: BrowserRuntime;
let processesBefore: number[];
/** The folder for temporary files while the scripts run, so that nobody else's are in it. */
let folder: ReturnType<typeof temporaryFolder>;
const formerTmpdir = process.env.TMPDIR;
beforeAll(() => {
  processesBefore = descendants();
  folder = temporaryFolder();
  process.env.TMPDIR = folder.path;
  if (hasSandbox) runtime = openBrowserRuntime();
});
afterAll(async () => {
  await runtime?.close();
  if (formerTmpdir === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = formerTmpdir;
  folder?.remove();
});

describe.runIf(hasSandbox)(`hostile scripts${SANDBOX_ADVICE}`, () => {
  it(
    `${SCRIPTS} of them end in their time and leave nothing behind`,
    async () => {
      const scripts = fc.sample(fc.array(fc.oneof(...PIECES), { minLength: 1, maxLength: 3 }), {
        numRuns: SCRIPTS,
        seed: SEED,
      });
      let results = 0;
      for (const pieces of scripts) {
        const script = pieces.map((piece) => `{ ${piece} }`).join("\n");
        const startedMs = performance.now();
        const config = { browserMode: "scripted", script, timeoutMs: TIMEOUT_MS };
        const outcome = await runBrowserCheck(runtime, config);
        expect(performance.now() - startedMs, script).toBeLessThan(TIMEOUT_MS + OVERTIME_MS + START_MS);
        // On a machine that is too busy for an honest judgement the run ends with a fault.
        if (outcome.kind === "fault") continue;
        results++;
        const scriptMs = outcome.responseTimeUs / 1000;
        expect(scriptMs, script).toBeLessThan(TIMEOUT_MS + OVERTIME_MS + LATENESS_MS);
      }
      expect(results).toBeGreaterThan(0);
      await runtime.close();
      const isOver = () => descendants().every((pid) => processesBefore.includes(pid));
      await until("no process of a script is left", isOver);
      expect(readdirSync(folder.path)).toEqual([]);
    },
    SCRIPTS * (TIMEOUT_MS + OVERTIME_MS + START_MS) + 60_000,
  );
});
