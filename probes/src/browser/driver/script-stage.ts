/** The state around a script: the open context, the fixtures it gets, and the events that may break it. */
import type { APIRequestContext, Browser, BrowserContextOptions, Page } from "playwright";
import { conclusionOf } from "./conclusion.ts";
import { PageRun, type RunParts } from "./page-run.ts";
import type { TestStage } from "./run-tests.ts";
import type { PlaywrightExports } from "./script-module.ts";
import type { Steps } from "./steps.ts";
import type { Fixtures, UseOptions } from "./test-tree.ts";

/** Options of Playwright's runner that are not options of a context. */
const RUNNER_OPTIONS = [
  "actionTimeout",
  "navigationTimeout",
  "testIdAttribute",
  "contextOptions",
  "screenshot",
  "video",
  "trace",
  "launchOptions",
  "connectOptions",
  "headless",
  "channel",
  "browserName",
  "defaultBrowserType",
  "proxy",
];

/** Playwright's default. */
const NAVIGATION_TIMEOUT_MS = 30_000;

/**
 * Gives a script, or each of its tests, an open context with its fixtures, and ends the script when a page
 * breaks down.
 */
export class ScriptStage implements TestStage {
  readonly steps: Steps;
  /** Rejects when the process of a page ends, or when a promise that nothing awaits rejects. */
  readonly broken: Promise<never>;
  run: PageRun;
  playwright: PlaywrightExports | undefined;
  readonly #parts: RunParts;
  #break: (error: unknown) => void = () => {};
  #isFresh = true;
  #hasFailedTest = false;
  #softErrors: unknown[] = [];
  #request: APIRequestContext | undefined;

  constructor(parts: RunParts, run: PageRun, steps: Steps) {
    this.#parts = parts;
    this.steps = steps;
    this.broken = new Promise((_resolve, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => {});
    for (const event of ["unhandledRejection", "uncaughtException"])
      process.on(event, (error) => this.#break(error));
    this.run = this.#adopt(run);
  }

  /** Returns the fixtures of the plain statements: the run's context, and a page unless they only declare tests. */
  async plainFixtures({ hasPage }: { hasPage: boolean }): Promise<Fixtures> {
    this.#isFresh = !hasPage;
    return await this.#fixtures({}, hasPage);
  }

  async openTest(options: UseOptions, { needsPage }: { needsPage: boolean }): Promise<Fixtures> {
    const ofContext = contextOptionsOf(options);
    if (!this.#isFresh || Object.keys(ofContext).length > 0) await this.#reopen(ofContext);
    this.#isFresh = false;
    const { actionTimeout, navigationTimeout, testIdAttribute } = options;
    const { context } = this.run;
    if (typeof actionTimeout === "number") {
      context.setDefaultTimeout(actionTimeout);
      context.setDefaultNavigationTimeout(NAVIGATION_TIMEOUT_MS); // else an action's limit would apply to navigations
    }
    if (typeof navigationTimeout === "number") context.setDefaultNavigationTimeout(navigationTimeout);
    if (typeof testIdAttribute === "string") this.playwright?.selectors.setTestIdAttribute(testIdAttribute);
    return await this.#fixtures(options, needsPage);
  }

  async sharedFixtures(): Promise<Fixtures> {
    this.#request ??= await this.playwright?.request.newContext();
    const perTest = (name: string) => () => {
      throw new Error(
        `"${name}" is not there in beforeAll and afterAll, since each test has one of its own; use browser.newPage()`,
      );
    };
    return Object.defineProperties(
      { ...this.#commonFixtures(), request: this.#request },
      { page: { get: perTest("page") }, context: { get: perTest("context") } },
    );
  }

  noteSoftError(error: unknown): void {
    this.#softErrors.push(error);
    this.steps.noteFailure(conclusionOf(error).errorMessage ?? "");
  }

  removeSoftErrors(): unknown[] {
    return this.#softErrors.splice(0);
  }

  noteFailedTest(): void {
    this.#hasFailedTest = true;
  }

  note(text: string): void {
    this.run.note(text);
  }

  /** Closes the context of the previous test and opens the next. */
  async #reopen(options: BrowserContextOptions): Promise<void> {
    const before = this.run;
    const run = await PageRun.open(this.#parts, options);
    await before.close({ keepsVideo: this.#hasFailedTest });
    run.adopt(before);
    this.run = this.#adopt(run);
  }

  #adopt(run: PageRun): PageRun {
    run.crashed.catch((error: Error) => this.#break(error));
    return run;
  }

  async #fixtures(options: UseOptions, hasPage: boolean): Promise<Fixtures> {
    const { context } = this.run;
    return {
      ...options,
      ...this.#commonFixtures(),
      context,
      page: hasPage ? await context.newPage() : undefined,
      request: context.request,
      __step: (name: string) => this.steps.mark(name),
    };
  }

  #commonFixtures(): Fixtures {
    return {
      browser: this.#browser(),
      browserName: "chromium",
      headless: true,
      playwright: this.playwright,
      console: this.#console(),
    };
  }

  /** Returns the browser as scripts see it: contexts that they open are made and watched like the run's own. */
  #browser(): Browser {
    const openContext = (options: BrowserContextOptions = {}) => this.run.openOther(options);
    const openPage = async (options?: BrowserContextOptions): Promise<Page> => {
      const context = await openContext(options);
      const page = await context.newPage();
      page.once("close", () => void context.close().catch(() => {}));
      return page;
    };
    return new Proxy(this.#parts.browser, {
      get: (browser, name) => {
        if (name === "newContext") return openContext;
        if (name === "newPage") return openPage;
        const member: unknown = Reflect.get(browser, name);
        return typeof member === "function" ? member.bind(browser) : member;
      },
    });
  }

  #console(): Console {
    const log = (...values: unknown[]) => {
      const text = values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" ");
      this.run.recording.log({ type: "script", text });
    };
    return { ...globalThis.console, log, info: log, warn: log, error: log, debug: log };
  }
}

function contextOptionsOf(options: UseOptions): BrowserContextOptions {
  const { contextOptions, ...others } = options;
  const own = Object.entries(others).filter(([name]) => !RUNNER_OPTIONS.includes(name));
  return { ...(contextOptions as BrowserContextOptions | undefined), ...Object.fromEntries(own) };
}

function inspect(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
