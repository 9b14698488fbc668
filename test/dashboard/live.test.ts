/** Live pages: what happens is on screen at once, in every tab, and a page that is out of date says so. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { type DashboardBrowser, OWNER, openDashboardBrowser, signIn } from "../harness/dashboard.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

/** The browser's own lines about a service that a test stops, and about the session that a test ends. */
const EXPECTED =
  /console: Failed to load resource: .*(401|403|503|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED)/;

let stack: TestStack;
let controlPlane: ControlPlane;
let browser: DashboardBrowser;
let checkId: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({ environment: { SVC_EMBEDDED_RUNNER: "true" } });
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Checkout",
    type: "http",
    frequencySeconds: 10,
    locations: ["loc_us_east"],
    httpConfig: { url: stack.target.url, assertions: [{ type: "status_code", value: 200 }] },
  });
  checkId = check.id;
  const url = stack.target.url;
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    {
      name: "On-call",
      channel: { type: "webhook", url },
    },
  );
  await controlPlane.ok("POST", `/api/checks/${checkId}/alerts`, {
    name: "It fails",
    conditions: [{ type: "consecutive_failures", count: 1 }],
    channelIds: [channel.id],
  });
  browser = await openDashboardBrowser(controlPlane, [EXPECTED]);
}, 120_000);

afterEach(() => {
  if (hasBrowser) expect(browser.problems()).toEqual([]);
});

afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  await stack[Symbol.asyncDispose]();
}, 60_000);

const connection = (page: Page, text: string | RegExp) =>
  page.getByRole("status", { name: "Connection" }).filter({ hasText: text });
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const failing = (page: Page) =>
  page.getByRole("region", { name: "Failing now" }).getByText("Unhealthy").first();

/** Lets the target answer with a status, and waits until a result says what the check then is. */
async function targetAnswers(statusCode: number, status: "success" | "failure"): Promise<void> {
  stack.target.answerWith(statusCode);
  await controlPlane.ok("POST", `/api/checks/${checkId}/trigger`);
  await expect
    .poll(
      async () => {
        const { results } = await controlPlane.ok<{ results: { status: string }[] }>(
          "GET",
          `/api/checks/${checkId}/results?limit=1`,
        );
        return results[0]?.status;
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(status);
}

/** Returns the number of streams that the control plane has open. */
async function streams(): Promise<number> {
  const text = await (await fetch(`${controlPlane.url}/metrics`)).text();
  return Number(/^svc_live_streams (\d+)$/m.exec(text)?.[1]);
}

describe.runIf(hasBrowser)(`live pages${BROWSER_ADVICE}`, () => {
  it("seven tabs share one stream, and show a failure and its end within 3 s of the result", async () => {
    await targetAnswers(200, "success");
    const first = await browser.open();
    await signIn(first);
    const pages = [first];
    for (let i = 1; i < 7; i++) {
      const page = await first.context().newPage();
      await page.goto("/");
      pages.push(page);
    }
    for (const page of pages) await connection(page, /^Live$/).waitFor();
    expect(await streams()).toBe(1);

    await targetAnswers(500, "failure");
    await Promise.all(pages.map((page) => failing(page).waitFor({ timeout: 3_000 })));
    await heading(first, /1 of 1/).waitFor({ timeout: 3_000 });
    await first.getByRole("log", { name: "Changes" }).getByText("Checkout is unhealthy").waitFor();

    await targetAnswers(200, "success");
    await Promise.all(pages.map((page) => failing(page).waitFor({ state: "detached", timeout: 3_000 })));
    await first
      .getByRole("log", { name: "Changes" })
      .getByText("Checkout is healthy")
      .waitFor({ timeout: 6_000 });

    // One tab acts; every tab leaves when one signs out.
    await first.getByRole("button", { name: "Account" }).click();
    await first.getByRole("menuitem", { name: "Sign out" }).click();
    await Promise.all(pages.map((page) => heading(page, "Sign in").waitFor()));
    await expect.poll(streams).toBe(0);
    await first.context().close();
  }, 120_000);

  it("an alert that is acknowledged in one tab is so in the other within 3 s", async () => {
    const one = await browser.open();
    await signIn(one, "/alerts");
    await targetAnswers(500, "failure");
    const other = await one.context().newPage();
    await other.goto("/alerts");
    for (const page of [one, other]) {
      await connection(page, /^Live$/).waitFor();
      await page.getByRole("table", { name: "Alerts" }).getByText("Active").first().waitFor();
    }
    await one.getByRole("table", { name: "Alerts" }).getByRole("link", { name: "It fails" }).first().click();
    await one.getByRole("button", { name: "Acknowledge" }).click();
    await other
      .getByRole("table", { name: "Alerts" })
      .getByText("Acknowledged")
      .first()
      .waitFor({ timeout: 3_000 });
    await targetAnswers(200, "success");
    await one.context().close();
  }, 120_000);

  it("a new check is in the list without reload, and its page shows each result", async () => {
    const page = await browser.open();
    await signIn(page, "/checks");
    await connection(page, /^Live$/).waitFor();
    const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: "Newcomer",
      type: "http",
      frequencySeconds: 3600,
      locations: ["loc_us_east"],
      httpConfig: { url: stack.target.url },
    });
    await page.getByRole("link", { name: "Newcomer" }).waitFor({ timeout: 3_000 });
    await page.getByRole("link", { name: "Newcomer" }).click();
    await heading(page, "Newcomer").waitFor();
    await page.getByRole("tab", { name: "Results" }).click();
    await page.getByRole("table", { name: "Results" }).getByRole("link").first().waitFor({ timeout: 15_000 });
    await controlPlane.ok("DELETE", `/api/checks/${check.id}`);
    await page.context().close();
  }, 60_000);

  it("without shared workers the page has a stream of its own while it is visible", async () => {
    const page = await browser.open();
    await page.addInitScript("delete globalThis.SharedWorker;");
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    await expect.poll(streams).toBe(1);
    await targetAnswers(500, "failure");
    await failing(page).waitFor({ timeout: 3_000 });
    await targetAnswers(200, "success");
    await failing(page).waitFor({ state: "detached", timeout: 3_000 });
    await page.context().close();
    await expect.poll(streams).toBe(0);
  }, 120_000);

  it("behind a proxy that holds streams back the page goes on by asking", async () => {
    const proxy = await startHoldingProxy(controlPlane.url);
    const proxied = await openDashboardBrowser({ url: proxy.url }, [EXPECTED]);
    const page = await proxied.open();
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    await targetAnswers(500, "failure");
    await failing(page).waitFor({ timeout: 10_000 });
    expect(proxy.held()).toBeGreaterThan(0);
    await targetAnswers(200, "success");
    expect(proxied.problems()).toEqual([]);
    await proxied.close();
    await proxy.close();
  }, 120_000);

  it("a session that ended is begun again in place, with the work of the page kept", async () => {
    const page = await browser.open();
    await signIn(page, pagePath("checks", {}));
    await page.getByRole("searchbox").fill("Check");
    await connection(page, /^Live$/).waitFor();
    await page.context().clearCookies();
    // The change lets the page read its list again, which is refused.
    await controlPlane.ok("PUT", `/api/checks/${checkId}/labels`, { labels: ["changed:now"] });
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor({ timeout: 40_000 });
    await dialog.getByRole("textbox", { name: "Email" }).fill(OWNER.email);
    await dialog.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("searchbox").inputValue()).toBe("Check");
    await connection(page, /^Live$/).waitFor();
    await page.context().close();
  }, 120_000);

  it("a page says when the service is gone, and is live again by itself", async () => {
    const page = await browser.open();
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    await controlPlane.process.stop();
    await connection(page, /^Not live since \d/).waitFor({ timeout: 25_000 });
    expect(await page.title()).toMatch(/^\? /);
    await controlPlane.restart();
    await connection(page, /^Live$/).waitFor({ timeout: 15_000 });
    await expect.poll(() => page.title()).not.toMatch(/^\? /);
    await expect.poll(streams, { timeout: 15_000 }).toBe(1);
    await page.context().close();
  }, 180_000);
});

/** Starts a proxy that passes everything on, but answers of streams only once they end. */
async function startHoldingProxy(target: string) {
  let held = 0;
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request;
    const asked = http.request(target + url, { method: method ?? "GET", headers }, (answer) => {
      if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
        held++;
        answer.resume();
        response.on("close", () => answer.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on("error", () => response.destroy());
    request.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
