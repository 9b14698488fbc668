/** Pages whose service moves below them: another replica behind the same address, and a database that is away for a while. */

import type { AddressInfo } from "node:net";
import net from "node:net";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { type ControlPlane, newApiKey } from "../harness/control-plane.ts";
import { openDashboardBrowser, signIn } from "../harness/dashboard.ts";
import { createHttpCheck, runUntil } from "../harness/dashboard-tests.ts";
import type { TcpProxy } from "../harness/tcp-proxy.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

/** The browser's own lines about connections that end and a service that has no database. */
const EXPECTED = [/console: Failed to load resource: .*(401|500|503|ERR_)/];
/** Time within which a page finds out that its service is gone, or back. */
const WITHIN = { timeout: 90_000 };

let stack: TestStack;
let replicas: [ControlPlane, ControlPlane];
let database: TcpProxy;
let balancer: net.Server;
let current = 0;
let checkId: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startTestStack();
  const { proxiedUrl, proxy } = await stack.database();
  database = proxy;
  const options = {
    databaseUrl: proxiedUrl,
    apiKey: newApiKey(),
    environment: { SVC_EMBEDDED_RUNNER: "true" },
  };
  replicas = [await stack.controlPlane(options), await stack.controlPlane(options)];
  checkId = await createHttpCheck({ controlPlane: replicas[1] }, stack.target.url, {
    name: "Checkout",
    frequencySeconds: 3600,
  });
  await runUntil({ controlPlane: replicas[1] }, checkId, "success");
  balancer = net.createServer((client) => {
    const upstream = net.connect(Number(new URL((replicas[current] as ControlPlane).url).port), "127.0.0.1");
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream])
      socket.on("error", () => undefined).on("close", () => [client, upstream].map((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  stack.atEnd(() => balancer.close());
});
afterAll(() => stack?.[Symbol.asyncDispose](), 60_000);

const connection = (page: Page, text: RegExp) =>
  page.getByRole("status", { name: "Connection" }).filter({ hasText: text });
const failing = (page: Page) =>
  page.getByRole("region", { name: "Failing now" }).getByText("Unhealthy").first();

describe.runIf(hasBrowser)(`a page whose service moves${BROWSER_ADVICE}`, () => {
  it("goes on at another replica when its own stops, and misses nothing that happened meanwhile", async () => {
    const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
    const browser = await openDashboardBrowser({ url }, EXPECTED);
    const page = await browser.open();
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    const [first, second] = replicas;
    stack.target.answerWith(500);
    current = 1;
    // What happens while the page has no stream at all is there afterwards, too.
    await Promise.all([first.process.stop(), runUntil({ controlPlane: second }, checkId, "failure")]);
    await failing(page).waitFor(WITHIN);
    await connection(page, /^Live$/).waitFor(WITHIN);
    stack.target.answerWith(200);
    await runUntil({ controlPlane: second }, checkId, "success");
    await failing(page).waitFor({ state: "detached", ...WITHIN });
    expect(browser.problems()).toEqual([]);
    await browser.close();
  });

  it("says since when it is out of date while the database is away, and goes on by itself", async () => {
    const [, second] = replicas;
    const browser = await openDashboardBrowser(second, EXPECTED);
    const page = await browser.open();
    await signIn(page);
    await connection(page, /^Live$/).waitFor();
    database.setMode("refuse");
    await connection(page, /^Not live since \d/).waitFor(WITHIN);
    expect(await page.title()).toMatch(/^\? /);
    // A page that is opened meanwhile says what is wrong and offers to try again.
    await page.getByRole("link", { name: "Alerts", exact: true }).click();
    await page
      .getByText(/database is not available/)
      .first()
      .waitFor(WITHIN);
    await page.getByRole("button", { name: "Retry" }).first().waitFor();
    database.setMode("up");
    await connection(page, /^Live$/).waitFor(WITHIN);
    await page
      .getByText(/database is not available/)
      .first()
      .waitFor({ state: "detached", ...WITHIN });
    expect(browser.problems()).toEqual([]);
    await browser.close();
  });
});
