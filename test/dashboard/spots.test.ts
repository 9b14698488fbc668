/** SLOs, locations, certificates and channels as people see them in the dashboard, against what the API answers. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { pagePath, type SloStatus } from "@svc/contract";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { type DashboardBrowser, openDashboardBrowser, signIn } from "../harness/dashboard.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const REFUSED = /console: Failed to load resource: the server responded with a status of (401|409|429)/;
const NUMBER = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const MINUTES = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

let stack: TestStack;
let controlPlane: ControlPlane;
let browser: DashboardBrowser;
let target: http.Server;
let targetUrl: string;
let answer = 200;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({ environment: { SVC_EMBEDDED_RUNNER: "true" } });
  target = http.createServer((_request, response) => response.writeHead(answer).end());
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  browser = await openDashboardBrowser(controlPlane, [REFUSED]);
}, 120_000);
afterEach(() => {
  if (hasBrowser) expect(browser.problems()).toEqual([]);
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  target.closeAllConnections();
  target.close();
  await stack[Symbol.asyncDispose]();
}, 60_000);

const open = async (path: string): Promise<Page> => {
  const page = await browser.open({ locale: "en-US" });
  await signIn(page, path);
  return page;
};

/** Makes a check of the target that runs when it is asked to, and an SLO for it. */
async function makeSlo(): Promise<{ checkId: string; sloId: string }> {
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Checkout",
    type: "http",
    frequencySeconds: 86_400,
    locations: ["loc_us_east"],
    httpConfig: { url: targetUrl, assertions: [{ type: "status_code", value: 200 }] },
  });
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    { name: "On call", channel: { type: "webhook", url: targetUrl } },
  );
  const { slo } = await controlPlane.ok<{ slo: { id: string } }>("POST", "/api/slos", {
    name: "Checkout works",
    checkId: check.id,
    targetBasisPoints: 5_000,
    windowDays: 7,
    channelIds: [channel.id],
  });
  return { checkId: check.id, sloId: slo.id };
}

describe.runIf(hasBrowser)(`what the dashboard shows${BROWSER_ADVICE}`, () => {
  it("an SLO stands in the list and on its page as the API says, with what spent its budget", async () => {
    const { checkId, sloId } = await makeSlo();
    const statusOf = async () =>
      (await controlPlane.ok<{ state: SloStatus }>("GET", `/api/slos/${sloId}/status`)).state;
    await until("the first run counts", async () => (await statusOf()).totalCount === 1);
    for (const status of [200, 200, 500]) {
      const before = (await statusOf()).totalCount;
      answer = status;
      await controlPlane.ok("POST", `/api/checks/${checkId}/trigger`);
      await until("the result counts", async () => (await statusOf()).totalCount > before);
    }
    answer = 200;
    const page = await open(pagePath("slos", {}));
    const row = page.getByRole("table", { name: "SLOs" }).getByRole("row").filter({ hasText: "Checkout" });
    const state = await statusOf();
    expect(state.errorBudgetRemaining).toBeGreaterThan(0);
    const left = String(1 - state.budgetConsumedRatio);
    const meterIn = async (part: ReturnType<Page["getByRole"]>) =>
      part.getByRole("meter", { name: "Error budget left" }).getAttribute("aria-valuenow");
    await row.waitFor();
    expect(await meterIn(row)).toBe(left);
    expect(await row.textContent()).toContain(`${MINUTES.format(state.errorBudgetRemaining)} min`);
    await row.getByRole("link", { name: "Checkout works" }).click();
    const now = page.getByRole("region", { name: "Now" });
    await now.getByRole("meter").waitFor();
    expect(await meterIn(now)).toBe(left);
    const figures = (await now.getByRole("definition").allTextContents()).join("\n");
    for (const minutes of [state.errorBudgetTotal, state.errorBudgetConsumed, state.errorBudgetRemaining])
      expect(figures).toContain(`${MINUTES.format(minutes)} min`);
    for (const rate of [state.burnRate1h, state.burnRate6h, state.burnRate24h])
      expect(figures.split("\n")).toContain(NUMBER.format(rate));
    const figure = page.getByRole("figure", { name: "Error budget left over the window" });
    await figure.getByRole("button", { name: "Show as table" }).click();
    const newest = figure.getByRole("table", { name: "Error budget by hour" }).getByRole("row").nth(1);
    expect(await newest.getByRole("cell").nth(1).textContent()).toBe("50.00 %");
    const rules = page.getByRole("list", { name: "Generated alert rules" });
    await rules.getByRole("link", { name: "On call" }).first().waitFor();
    const spent = page.getByRole("table", { name: "Hours that spent most" });
    await spent.getByRole("cell", { name: "1 of 4" }).waitFor();
    await spent.getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "Checkout" }).waitFor();
    expect(new URL(page.url()).searchParams.has("from")).toBe(true);
    await page.context().close();
  }, 90_000);
});
