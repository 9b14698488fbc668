/** The dashboard in a real browser. A page that logs an error, breaks its policy or asks another origin fails its test. */
import { findBrowser } from "@svc/probes/browser";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
  type Response,
} from "playwright";
import { checkAnswer } from "../../control-plane/test-support/api-document.ts";
import type { ControlPlane } from "./control-plane.ts";
import { until } from "./wait.ts";

/** The owner's account of a control plane that the harness started. */
export const OWNER = { email: "owner@example.com", password: "correct horse battery" };

/** Longest wait for what a page shows: a machine that stands still for half a minute fails no test. */
const WAIT_MS = 90_000;

/** Time without a request or an answer after which a page has asked for everything that it shows. */
const QUIET_MS = 300;

/** A browser with pages that are watched; close it. */
export interface DashboardBrowser {
  /** Opens a page of its own session. @param options of Playwright's context, such as the colour scheme */
  open(options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
  /** What went wrong on any page since the last call: console errors, violations, requests to other origins, untrue answers. */
  problems(): string[];
  /** Describes each page that is open, with its text and the requests that it still waits for, for who reads a failed test. */
  describeOpenPages(): Promise<string>;
  /** Waits until a page has the answers to all that it asked for, and asks for nothing more. */
  rest(page: Page): Promise<void>;
  /** Closes what a failed test left open, and forgets its problems: the next test begins without them. */
  closePages(): Promise<void>;
  /** @throws Error that lists what went wrong since the last call of `problems` */
  close(): Promise<void>;
}

/** Starts a browser for the pages of a control plane. @param expected texts of problems that the test causes on purpose */
export async function openDashboardBrowser(
  controlPlane: Pick<ControlPlane, "url">,
  expected: readonly RegExp[] = [],
): Promise<DashboardBrowser> {
  const { executablePath } = findBrowser(process.env.SVC_BROWSER_PATH, process.env);
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  let problems: string[] = [];
  /** Checks of answers that are under way. */
  const unchecked = new Set<Promise<void>>();
  /** Requests without an answer. */
  const unanswered = new Set<Request>();
  let changedAtMs = performance.now();
  const answered = (request: Request) => {
    unanswered.delete(request);
    changedAtMs = performance.now();
  };
  const note = (problem: string) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  const watch = async (context: BrowserContext) => {
    await context.exposeFunction("noteViolation", (text: string) => note(`policy: ${text}`));
    await context.addInitScript(
      `document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        noteViolation(violatedDirective + " " + blockedURI))`,
    );
    context.on("console", (message) => {
      if (message.type() === "error") note(`console: ${message.text()}`);
    });
    context.on("weberror", (error) => note(`page: ${error.error().message}`));
    context.on("response", (response) => {
      const checked = checkResponse(response, controlPlane.url).catch((error: Error) => note(error.message));
      unchecked.add(checked);
      void checked.then(() => unchecked.delete(checked));
    });
    context.on("requestfinished", answered);
    context.on("requestfailed", answered);
    context.on("request", (request) => {
      unanswered.add(request);
      changedAtMs = performance.now();
      if (!request.url().startsWith(controlPlane.url)) note(`request to ${request.url()}`);
    });
  };
  return {
    async open(options) {
      const context = await browser.newContext({ baseURL: controlPlane.url, ...options });
      context.setDefaultTimeout(WAIT_MS);
      await watch(context);
      return context.newPage();
    },
    problems() {
      const seen = problems;
      problems = [];
      return seen;
    },
    async describeOpenPages() {
      const pages = browser.contexts().flatMap((context) => context.pages());
      const texts = await Promise.all(pages.map(textOf));
      return [...texts, ...[...unanswered].map((request) => `no answer yet: ${request.url()}`)].join("\n");
    },
    async rest(page) {
      const waits = (request: Request) =>
        request.resourceType() === "fetch" && request.frame().page() === page;
      await until("the page has asked for everything", () => {
        return ![...unanswered].some(waits) && performance.now() - changedAtMs > QUIET_MS;
      });
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      await Promise.all(unchecked);
      problems = [];
    },
    async close() {
      await Promise.all(unchecked);
      await browser.close();
      if (problems.length > 0) throw new Error(`the pages had problems:\n${problems.join("\n")}`);
    },
  };
}

/** Characters of a page's text that say enough of where a test stopped. */
const TEXT_LENGTH = 2_500;

async function textOf(page: Page): Promise<string> {
  const text = await page
    .evaluate('(document.querySelector("main") ?? document.body).innerText')
    .catch(String);
  return `${page.url()}: ${String(text).replaceAll(/\s+/g, " ").slice(0, TEXT_LENGTH)}`;
}

/** Holds an answer of the API that a page got against the OpenAPI document. A body that left with its page is none. */
async function checkResponse(response: Response, origin: string): Promise<void> {
  const { pathname, search, origin: answered } = new URL(response.url());
  const contentType = response.headers()["content-type"];
  if (answered !== origin || !pathname.startsWith("/api/") || contentType?.startsWith("text/event-stream"))
    return;
  const body = await response.text().catch(() => undefined);
  if (body === undefined) return;
  const method = response.request().method();
  await checkAnswer({ method, path: pathname + search, status: response.status(), contentType, body });
}

/** Signs the owner in on the sign-in page that the page leads to. @param path page to open */
export async function signIn(page: Page, path = "/"): Promise<void> {
  await page.goto(path);
  await page.getByRole("textbox", { name: "Email" }).fill(OWNER.email);
  await page.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("banner").waitFor();
}
