import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress, type Egress } from "@svc/egress";
import type { RunResult } from "@svc/probes";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  hasSandbox,
  linesOf,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";
import { ROOT } from "../harness/control-plane.ts";
import { type Site, startSite } from "../harness/site.ts";

let runtime: BrowserRuntime;
let target: Site;
/** Addresses that the agent would have connected to; nothing is, but loopback. */
const dialled: string[] = [];
const egressOf = (allowPrivate: boolean): Egress =>
  createEgress({
    allowPrivate,
    connect({ host, port }) {
      dialled.push(host);
      if (host !== "127.0.0.1") throw new Error(`the test must not connect to ${host}`);
      return net.connect({ host, port });
    },
  });

beforeAll(async () => {
  if (!hasSandbox) return;
  process.env.SVC_RUNNER_KEY = "rk_the-key-of-this-agent";
  runtime = openBrowserRuntime();
  target = await startSite((_request, response) => response.end("secret of this machine"));
});

afterAll(async () => {
  if (!hasSandbox) return;
  delete process.env.SVC_RUNNER_KEY;
  await runtime.close();
  target.close();
});

/** Runs a script as a stranger's. */
async function attack(script: string, options: { allowPrivate?: boolean; timeoutMs?: number } = {}) {
  const config = { browserMode: "scripted", script, timeoutMs: options.timeoutMs ?? 30_000 };
  return resultOf(
    await runBrowserCheck(runtime, config, { egress: egressOf(options.allowPrivate ?? false) }),
  );
}

const logged = (result: RunResult) => linesOf(result, "script");

/** Processes of this machine whose command line has the word. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}

describe.runIf(hasSandbox)(`a hostile script${SANDBOX_ADVICE}`, () => {
  it("finds neither the agent's environment nor its files nor its processes", async () => {
    const result = await attack(`
      import fs from "node:fs";
      const attempt = (name: string, read: () => unknown) => {
        try { console.log(name + "=" + read()); } catch (error: any) { console.log(name + " refused: " + error.code); }
      };
      attempt("environment", () => JSON.stringify(process.env).includes("rk_"));
      for (const pid of fs.readdirSync("/proc").filter((name: string) => /^[0-9]+$/.test(name)))
        attempt("environ of a process", () => fs.readFileSync("/proc/" + pid + "/environ", "utf8").includes("rk_"));
      attempt("passwd", () => fs.readFileSync("/etc/passwd", "utf8").length);
      attempt("shadow", () => fs.readFileSync("/etc/shadow", "utf8").length);
      attempt("home", () => fs.readdirSync("/root").length);
      attempt("project", () => fs.readFileSync(${JSON.stringify(join(ROOT, "package.json"))}).length);
      attempt("write", () => fs.writeFileSync("/usr/bin/owned", "x"));
      attempt("uid", () => process.getuid!());
      attempt("user", () => fs.readdirSync("/").sort().join(","));`);
    expect(result.detail?.errorMessage).toBeUndefined();
    const lines = logged(result);
    expect(lines).toContain("environment=false");
    expect(lines.filter((line) => line.startsWith("environ of a process=true"))).toEqual([]);
    for (const name of ["passwd", "shadow", "home", "project"])
      expect(lines).toContain(`${name} refused: ENOENT`);
    expect(lines).toContain("write refused: EROFS");
    expect(lines).toContain("uid=65534");
    expect(existsSync("/usr/bin/owned")).toBe(false);
  });

  it("finds neither the runner key nor the spool, by itself or by its browser", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-agent-"));
    const files = ["spool.db", "runner-key"].map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, "SECRET of the agent", { mode: 0o644 });
    chmodSync(folder, 0o755);
    try {
      const result = await attack(`
        import fs from "node:fs";
        for (const file of ${JSON.stringify(files)}) {
          for (const path of [file, "/proc/1/root" + file, "/proc/self/root/.." + file])
            try { console.log(fs.readFileSync(path, "utf8")); } catch (error: any) { console.log("refused: " + error.code); }
          const shown = await page.goto("file://" + file).then(() => page.content(), () => "refused by the browser");
          console.log(shown.includes("SECRET") ? "SECRET shown" : "not shown");
          console.log(await page.setContent('<input type="file">').then(() => page.setInputFiles("input", file))
            .then(() => page.evaluate(() => document.querySelector("input")!.files![0]!.text()), () => "no such file"));
        }
        console.log("temporary files: " + fs.readdirSync("/tmp").filter((name: string) => name.startsWith("svc-")));`);
      const perFile = [...Array(3).fill("refused: ENOENT"), "not shown", "no such file"];
      expect(logged(result)).toEqual([...perFile, ...perFile, "temporary files: "]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("reaches loopback and cloud metadata neither by itself nor by its browser", async () => {
    dialled.length = 0;
    const result = await attack(
      `import net from "node:net";
      const direct = (port: number) => new Promise((resolve) => net.connect(port, "127.0.0.1")
        .on("connect", () => resolve("connected")).on("error", (error: any) => resolve(error.code)));
      console.log("socket " + await direct(${target.port}));
      const tries: [string, () => Promise<unknown>][] = [
        ["goto", () => page.goto("http://127.0.0.1:${target.port}/")],
        ["request", () => page.request.get("http://127.0.0.1:${target.port}/")],
        ["metadata", () => page.goto("http://169.254.169.254/latest/meta-data/")],
        ["metadata request", () => page.request.get("http://169.254.169.254/latest/")],
        ["own context", async () => (await (await browser.newContext()).newPage()).goto("http://127.0.0.1:${target.port}/")],
        ["own context without proxy", async () => {
          const open = await browser.newContext({ proxy: { server: "direct://" } });
          return (await open.newPage()).goto("http://127.0.0.1:${target.port}/");
        }],
      ];
      for (const [name, attempt] of tries)
        console.log(name + " " + await attempt().then(async (answer: any) =>
          (await answer?.text())?.includes("secret") ? "REACHED" : "refused", () => "refused"));
      const socket = await page.evaluate((port) => new Promise((resolve) => {
        const socket = new WebSocket("ws://127.0.0.1:" + port);
        socket.onopen = () => resolve("REACHED");
        socket.onerror = () => resolve("refused");
      }), ${target.port});
      console.log("websocket " + socket);`,
    );
    expect(logged(result)).toEqual([
      "socket ECONNREFUSED",
      "goto refused",
      "request refused",
      "metadata refused",
      "metadata request refused",
      "own context refused",
      "own context without proxy refused",
      "websocket refused",
    ]);
    expect(dialled).toEqual([]);
  });

  it("that never ends is ended with all of its processes, and times out", async () => {
    const result = await attack("for (;;) {}", { timeoutMs: 5_000 });
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
  });

  it("that forks without end is held to its number of processes, and none stays", async () => {
    const result = await attack(
      `import { spawn } from "node:child_process";
      let started = 0;
      for (let i = 0; i < 1000; i++) {
        try { const child = spawn("/usr/bin/sleep", ["86399"]); child.on("error", () => {}); if (child.pid) started++; } catch { break; }
      }
      console.log("started " + started);`,
    );
    const [line] = logged(result);
    if (line) expect(Number(line.split(" ")[1])).toBeLessThan(150);
    expect(processesWith("86399")).toEqual([]);
  });

  it("that takes all memory is ended, and it is said why", async () => {
    const result = await attack(
      `const held: Buffer[] = []; for (;;) { held.push(Buffer.alloc(32 * 1024 * 1024, 1)); await new Promise((r) => setTimeout(r, 1)); }`,
      { timeoutMs: 20_000 },
    );
    expect(result.status).toBe("error");
    expect(result.detail?.errorMessage).toContain("bytes of memory");
  });
});
