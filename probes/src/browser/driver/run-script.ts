/**
 * Scripted mode: runs a stranger's script. Nothing in here keeps it from anything: it runs in this very process and may do to
 * it what it likes. What it can't do is decided by where the process was started (process/sandbox.ts) and by what the
 * agent lets through.
 */
import { createRequire } from "node:module";
import vm from "node:vm";
import {
  type APIRequest,
  type BrowserContextOptions,
  errors,
  request as playwrightRequest,
} from "playwright";
import type { RunReport } from "../protocol.ts";
import { PageCrashed, PageRun, type RunParts, type Verdict } from "./page-run.ts";
import { round } from "./recording.ts";
import { Steps } from "./steps.ts";
import { type CollectedTest, collectTests, type Fixtures, TestSkipped } from "./test-shim.ts";
import { Stalled, TimeLimitPassed, within } from "./time-limit.ts";

const WHOLE_SCRIPT = "Script";
/** A statement that declares a test or a group, as the compiler writes it. */
const TEST_DECLARATION = /^\s*(?:\(0, )?(?:\w+\.)?test\)?(?:\.\w+)*\(/m;

export async function runScript(parts: RunParts): Promise<RunReport> {
  const { job, runId } = parts.order;
  if (job.kind !== "script") throw new Error("not a scripted run");
  const session = new ScriptSession(parts);
  const startedMs = performance.now();
  session.run = await PageRun.open(parts);
  const steps = new Steps({ job, runId, tell: parts.tell }, () => session.run);
  session.steps = steps;
  const { timeoutMs } = job.settings;
  const scriptStartedMs = performance.now();
  let verdict: Verdict;
  try {
    const doing = () => (steps.current === undefined ? "" : ` in step "${steps.current}"`);
    await within(
      timeoutMs,
      () => `the script did not end within ${timeoutMs} ms${doing()}`,
      Promise.race([session.execute(job.code), steps.expired, session.crashed]),
    );
    await steps.end("success");
    verdict = { status: "success", cause: null, errorMessage: null };
  } catch (error) {
    verdict = verdictOf(error);
    await steps.end(verdict.status, verdict.errorMessage ?? undefined);
  }
  const responseTimeMs = performance.now() - scriptStartedMs;
  const run = session.run as PageRun;
  const document = run.recording.document?.existingResponse() ?? null;
  const missing = job.steps.filter((step) => !session.seen.has(step.name)).map((step) => step.name);
  if (missing.length > 0 && verdict.status === "success")
    run.notes.push(`steps that the script did not come to: ${missing.join(", ")}`.slice(0, 1000));
  const report = await run.finish(verdict, { elapsedMs: 0, responseTimeMs, document });
  return { ...report, elapsedMs: round(performance.now() - startedMs) };
}

class ScriptSession {
  readonly #parts: RunParts;
  readonly #crash: { reject: (error: Error) => void };
  readonly crashed: Promise<never>;
  /** Names of the steps that began. */
  readonly seen = new Set<string>();
  run: PageRun | undefined;
  steps: Steps | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const crash = { reject: (_error: Error) => {} };
    this.crashed = new Promise((_resolve, reject) => {
      crash.reject = reject;
    });
    this.crashed.catch(() => {});
    this.#crash = crash;
  }

  /** Runs the plain statements, then the tests that they declared. */
  async execute(code: string): Promise<void> {
    const { expect } = await import("playwright/test");
    const collection = collectTests(expect, (name, body) => this.#nestedStep(name, body));
    const script = compile(code, {
      ...(await playwrightTestExports(this.#parts.proxyPort)),
      test: collection.test,
      default: collection.test,
    });
    const declaresTests = TEST_DECLARATION.test(code);
    const plain = await this.#fixtures({}, !declaresTests);
    if (!declaresTests && !code.includes("__step(")) await this.#begin(WHOLE_SCRIPT);
    await script(plain);
    let isFirst = true;
    for (const test of collection.tests) {
      await this.#runTest(test, isFirst);
      isFirst = false;
    }
    if (declaresTests && collection.tests.length === 0 && this.steps?.count === 0)
      throw new Error("the script declares no test that is not skipped");
  }

  async #runTest({ title, body, hooks, options }: CollectedTest, isFirst: boolean): Promise<void> {
    const before = this.steps?.count ?? 0;
    const fixtures = await this.#fixtures(options, true, isFirst);
    const marksSteps = /__step\(|\btest\.step\(/.test(String(body));
    if (!marksSteps) await this.#begin(title);
    const info = { title, annotations: [], attach() {}, setTimeout() {}, project: { name: "chromium" } };
    try {
      for (const hook of [...hooks.beforeAll, ...hooks.beforeEach]) await hook(fixtures, info);
      await body(fixtures, info);
      for (const hook of [...hooks.afterEach, ...hooks.afterAll]) await hook(fixtures, info);
    } catch (error) {
      if (!(error instanceof TestSkipped)) throw error;
    }
    await this.steps?.end("success");
    if ((this.steps?.count ?? 0) === before) await this.#begin(title);
  }

  /** What a test or the plain statements get. Each test has a context of its own, the first one the run's. */
  async #fixtures(options: BrowserContextOptions, hasPage: boolean, isFirst = true): Promise<Fixtures> {
    if (!isFirst || Object.keys(options).length > 0) {
      const before = this.run as PageRun;
      const run = await PageRun.open(this.#parts, { ...options });
      run.adopt(before);
      await before.context.close();
      this.run = run;
    }
    const run = this.run as PageRun;
    run.crashed.catch((error: Error) => this.#crash.reject(error));
    const { context } = run;
    return {
      context,
      page: hasPage ? await context.newPage() : undefined,
      request: context.request,
      browser: this.#parts.browser,
      browserName: "chromium",
      console: this.#console(),
      __step: (name: string) => this.#begin(name),
    };
  }

  async #begin(name: string): Promise<void> {
    this.seen.add(name);
    await this.steps?.begin(name);
  }

  async #nestedStep(name: string, body: () => unknown): Promise<unknown> {
    await this.#begin(name);
    const result = await body();
    await this.steps?.end("success");
    return result;
  }

  #console(): Console {
    const log = (...values: unknown[]) => {
      const text = values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" ");
      this.run?.recording.log({ type: "script", text });
    };
    return { ...globalThis.console, log, info: log, warn: log, error: log, debug: log };
  }
}

function inspect(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** @param proxyPort where requests that belong to no context leave, too */
async function playwrightTestExports(proxyPort: number): Promise<Record<string, unknown>> {
  const { expect } = await import("playwright/test");
  const { chromium, devices, selectors } = await import("playwright");
  const proxy = { server: `http://127.0.0.1:${proxyPort}`, bypass: "<-loopback>" };
  const request: APIRequest = {
    newContext: (options) => playwrightRequest.newContext({ proxy, ...options }),
  };
  return { expect, chromium, devices, selectors, request, errors };
}

const MODULES = ["@playwright/test", "playwright/test", "playwright", "playwright-core"];

/** The script's function. @throws when it asks for a module that there is none of here */
function compile(code: string, exports: Record<string, unknown>): (fixtures: Fixtures) => Promise<void> {
  const builtIn = createRequire(import.meta.url);
  const require = (name: string) => {
    if (MODULES.includes(name)) return { __esModule: true, ...exports };
    if (name.startsWith("node:") || ["assert", "crypto", "util", "url", "path", "buffer"].includes(name))
      return builtIn(name);
    throw new Error(`scripts can import @playwright/test and Node's own modules; there is no "${name}"`);
  };
  const module = { exports: {} as { default?: unknown } };
  const run = vm.runInThisContext(`(function (module, exports, require, expect, test) {${code}\n})`, {
    filename: "script.ts",
  });
  run(module, module.exports, require, exports.expect, exports.test);
  return module.exports.default as (fixtures: Fixtures) => Promise<void>;
}

function verdictOf(error: unknown): Verdict {
  const errorMessage = maskTyped(messageOf(error));
  if (error instanceof TimeLimitPassed) return { status: "timeout", cause: "timeout", errorMessage };
  if (error instanceof Stalled) return { status: "error", cause: "stalled", errorMessage };
  if (error instanceof PageCrashed) return { status: "error", cause: "crash", errorMessage };
  if (isAssertion(error)) return { status: "failure", cause: "assertion", errorMessage };
  if (error instanceof errors.TimeoutError) return { status: "timeout", cause: "timeout", errorMessage };
  if (/\bnet::ERR_/.test(errorMessage)) return { status: "error", cause: "navigation", errorMessage };
  return { status: "error", cause: "script", errorMessage };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Playwright colours its messages for a terminal
  return message.replace(/\u001b\[[0-9;]*m/g, "").trim();
}

/** By what `expect` and `node:assert` put on their errors. */
function isAssertion(error: unknown): boolean {
  const { matcherResult, code } = (error ?? {}) as { matcherResult?: unknown; code?: unknown };
  return matcherResult !== undefined || code === "ERR_ASSERTION";
}

/** What was typed into a page may be a password: Playwright's call log repeats it. */
function maskTyped(message: string): string {
  return message.replace(/\b(fill|type|pressSequentially|press|insertText)\(("|').*\2\)/g, "$1(***)");
}
