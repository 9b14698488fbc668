/** README's and the docs' runnable examples, against a fresh `npm start` on other ports than theirs. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newApiKey, ROOT } from "../harness/control-plane.ts";
import { isRunnable, readDocsExamples, scriptOf } from "../harness/docs-examples.ts";
import { freePort, temporaryFolder } from "../harness/folders.ts";
import { type RunningProcess, startNode } from "../harness/process.ts";
import { until } from "../harness/wait.ts";

const apiKey = newApiKey();
const folder = temporaryFolder();
let url: string;
let service: RunningProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  const [httpPort, runnerPort] = [await freePort(), await freePort()];
  url = `http://127.0.0.1:${httpPort}`;
  const dataDir = join(folder.path, "data");
  service = startNode([join(ROOT, "scripts/start.mjs")], {
    SVC_HTTP_PORT: String(httpPort),
    SVC_RUNNER_PORT: String(runnerPort),
    SVC_DATA_DIR: dataDir,
    SVC_BOOTSTRAP_API_KEY: apiKey,
    LOG_LEVEL: "warn",
  });
  environment = {
    SVC_BOOTSTRAP_API_KEY: apiKey,
    SVC_API_KEY: apiKey,
    SVC_API_URL: url,
    SVC_DATA_DIR: dataDir,
  };
  await until("the service is ready", async () => (await fetch(`${url}/readyz`)).ok, { withinMs: 90_000 });
});

afterAll(async () => {
  await service?.stop();
  folder.remove();
});

/** Makes a folder for the examples of a page that looks like a checkout, so that files they write don't land in this one. */
function aCheckout(): string {
  const path = mkdtempSync(join(folder.path, "checkout-"));
  mkdirSync(join(path, "bin"));
  const starter = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "cli/bin/svc.cjs")}" "$@"\n`;
  writeFileSync(join(path, "bin/svc"), starter, { mode: 0o755 });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}

function runInShell(script: string): Promise<{ code: number | null; output: string }> {
  const cwd = aCheckout();
  const PATH = `${join(cwd, "bin")}:${process.env.PATH}`;
  return new Promise((resolve, reject) => {
    const shell = spawn("bash", ["-c", script], {
      cwd,
      env: { HOME: folder.path, PATH, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [shell.stdout, shell.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
      });
    shell.on("error", reject);
    shell.on("close", (code) => resolve({ code, output }));
  });
}

const pages = readDocsExamples();

test("each shell example of the documentation is runnable or says why it is not", () => {
  const unmarked = pages.flatMap(({ page, examples }) =>
    examples
      .filter((example) => !isRunnable(example) && !/^not run: \S/.test(example.mark))
      .map(({ line }) => `${page}:${line}`),
  );
  expect(unmarked).toEqual([]);
});

const runnablePages = pages.filter(({ examples }) => examples.some(isRunnable));

test("README and docs have runnable examples", () => {
  expect(runnablePages.map(({ page }) => page)).toContain("README.md");
  expect(runnablePages.length).toBeGreaterThan(3);
});

test.each(runnablePages.map((examples) => [examples.page, examples] as const))(
  "%s: each runnable example runs as it stands",
  async (_page, examples) => {
    const script = scriptOf(examples).replaceAll("http://127.0.0.1:8080", url);
    const { code, output } = await runInShell(script);
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
  },
);
