/** Live pages: what happens is on screen at once, in every tab, and a page that is out of date says so. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { OWNER, openDashboardBrowser, signIn } from "../harness/dashboard.ts";
import {
  createFirstFailureRule,
  createHttpCheck,
  createWebhook,
  runUntil,
  setUpDashboardTests,
} from "../harness/dashboard-tests.ts";

/** The browser's own lines about a service that a test stops, and about the session that a test ends. */
const EXPECTED = /console: Failed to load resource: .*(401|403|503|ERR_[A-Z_]+)/;

let checkId: string;

const dashboard = setUpDashboardTests({
  expected: [EXPECTED],
  async prepare({ stack }) {
    const { url } = stack.target;
    checkId = await createHttpCheck(dashboard, url, { name: "Checkout" });
    const channelId = await createWebhook(dashboard, url);
    await createFirstFailureRule(dashboard, { checkId, channelId });
  },
});

const connection = (page: Page, text: string | RegExp) =>
  page.getByRole("status", { name: "Connection" }).filter({ hasText: text });
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const failing = (page: Page) =>
  page.getByRole("region", { name: "Failing now" }).getByText("Unhealthy").first();

/** Lets the target answer with a status, and waits until a result says what the check then is. */
async function targetAnswers(statusCode: number, status: "success" | "failure"): Promise<void> {
  dashboard.stack.target.answerWith(statusCode);
  await runUntil(dashboard, checkId, status);
}

/** Returns the number of streams that the control plane has open. */
async function streams(): Promise<number> {
  const text = await (await fetch(`${dashboard.controlPlane.url}/metrics`)).text();
  return Number(/^svc_live_streams (\d+)$/m.exec(text)?.[1]);
}

describe.runIf(hasBrowser)(`live pages${BROWSER_ADVICE}`, () => {
  it("seven tabs share one stream, and show a failure and its end without reload", async () => {
    await targetAnswers(200, "success");
    const first = await dashboard.browser.open();
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
    await Promise.all(pages.map((page) => failing(page).waitFor()));
    await heading(first, /1 of 1/).waitFor();
    await first.getByRole("log", { name: "Changes" }).getByText("Checkout is unhealthy").waitFor();

    await targetAnswers(200, "success");
    await Promise.all(pages.map((page) => failing(page).waitFor({ state: "detached" })));
    await first.getByRole("log", { name: "Changes" }).getByText("Checkout is healthy").waitFor();

    // One tab acts; every tab leaves when one signs out.
    await first.getByRole("button", { name: "Account" }).click();
    await first.getByRole("menuitem", { name: "Sign out" }).click();
    await Promise.all(pages.map((page) => heading(page, "Sign in").waitFor()));
    await expect.poll(streams).toBe(0);
    await first.context().close();
  });

  it("an alert that is acknowledged in one tab is so in the other without reload", async () => {
    const one = await dashboard.browser.open();
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
    await other.getByRole("table", { name: "Alerts" }).getByText("Acknowledged").first().waitFor();
    await targetAnswers(200, "success");
    await one.context().close();
  });

  it("a new check is in the list without reload, and its page shows each result", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, "/checks");
    await connection(page, /^Live$/).waitFor();
    const { check } = await dashboard.controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: "Newcomer",
      type: "http",
      frequencySeconds: 3600,
      locations: ["loc_us_east"],
      httpConfig: { url: dashboard.stack.target.url },
    });
    await page.getByRole("link", { name: "Newcomer" }).waitFor();
    await page.getByRole("link", { name: "Newcomer" }).click();
    await heading(page, "Newcomer").waitFor();
    await page.getByRole("tab", { name: "Results" }).click();
    await page.getByRole("table", { name: "Results" }).getByRole("link").first().waitFor({ timeout: 90_000 });
    await dashboard.controlPlane.ok("DELETE", `/api/checks/${check.id}`);
    await page.context().close();
  });

  it("the page of a check that somebody deletes says so, and asks for nothing that is gone", async () => {
    const id = await createHttpCheck(dashboard, dashboard.stack.target.url, {
      name: "Passing",
      enabled: false,
    });
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id }));
    await heading(page, "Passing").waitFor();
    await connection(page, /^Live$/).waitFor();
    // What the page asked before the check went may come after it on a busy machine.
    await dashboard.browser.rest(page);
    const notFound: string[] = [];
    page.on("response", (response) => void (response.status() === 404 && notFound.push(response.url())));
    await dashboard.controlPlane.ok("DELETE", `/api/checks/${id}`);
    await heading(page, "Check not found").waitFor();
    // It follows the stream of no check any more, and hears of what happens.
    await connection(page, /^Live$/).waitFor();
    await page.getByRole("link", { name: "Go to the overview" }).click();
    await page.getByRole("region", { name: "Failing now" }).waitFor();
    expect(notFound).toEqual([]);
    await page.context().close();
  });

  it("without shared workers the page has a stream of its own while it is visible", async () => {
    const page = await dashboard.browser.open();
    await page.addInitScript("delete globalThis.SharedWorker;");
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    await expect.poll(streams).toBe(1);
    await targetAnswers(500, "failure");
    await failing(page).waitFor();
    await targetAnswers(200, "success");
    await failing(page).waitFor({ state: "detached" });
    await page.context().close();
    await expect.poll(streams).toBe(0);
  });

  it("behind a proxy that holds streams back the page goes on by asking", async () => {
    const proxy = await startHoldingProxy(dashboard.controlPlane.url);
    const proxied = await openDashboardBrowser({ url: proxy.url }, [EXPECTED]);
    const page = await proxied.open();
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    await targetAnswers(500, "failure");
    await failing(page).waitFor();
    expect(proxy.held()).toBeGreaterThan(0);
    await targetAnswers(200, "success");
    expect(proxied.problems()).toEqual([]);
    await proxied.close();
    await proxy.close();
  });

  it("a session that ended is begun again in place, with the work of the page kept", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("checks", {}));
    await page.getByRole("searchbox").fill("Check");
    await connection(page, /^Live$/).waitFor();
    await page.context().clearCookies();
    // The change lets the page read its list again, which is refused.
    await dashboard.controlPlane.ok("PUT", `/api/checks/${checkId}/labels`, { labels: ["changed:now"] });
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor({ timeout: 90_000 });
    await dialog.getByRole("textbox", { name: "Email" }).fill(OWNER.email);
    await dialog.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("searchbox").inputValue()).toBe("Check");
    await connection(page, /^Live$/).waitFor();
    await page.context().close();
  });

  it("a page says when the service is gone, and is live again by itself", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    await dashboard.controlPlane.process.stop();
    await connection(page, /^Not live since \d/).waitFor({ timeout: 90_000 });
    expect(await page.title()).toMatch(/^\? /);
    await dashboard.controlPlane.restart();
    await connection(page, /^Live$/).waitFor({ timeout: 90_000 });
    await expect.poll(() => page.title()).not.toMatch(/^\? /);
    await expect.poll(streams, { timeout: 90_000 }).toBe(1);
    await page.context().close();
  });
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
