import https from "node:https";
import type { AddressInfo } from "node:net";
import { pagePath, type SloStatus } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { aSelfSigned } from "../../probes/test-support/certificates.ts";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { startProgram } from "../harness/process.ts";
import { startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";

const NUMBER = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const MINUTES = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

let targetUrl: string;
let answer = 200;

const dashboard = setUpDashboardTests({
  refusals: [409, 429],
  async prepare({ stack }) {
    const target = await startSite((_request, response) => response.writeHead(answer).end());
    stack.atEnd(target.close);
    targetUrl = target.url;
  },
});

const open = async (path: string): Promise<Page> => {
  const page = await dashboard.browser.open({ locale: "en-US" });
  await signIn(page, path);
  return page;
};

/** Holds a page with what is on it against axe in both themes, and on a narrow screen. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await accessibilityProblems(page)]).toEqual([colorScheme, []]);
  }
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  await expect.poll(() => page.evaluate(`document.documentElement.scrollWidth - innerWidth`)).toBe(0);
  if (size) await page.setViewportSize(size);
}

/** Runs a line as a shell does, in a process group of its own; returns what ends the group. */
function runLine(line: string, environment: Record<string, string>): () => Promise<void> {
  const started = startProgram("setsid", ["sh", "-c", line], environment);
  return async () => {
    if (started.hasEnded()) return;
    process.kill(-started.pid, "SIGTERM");
    await started.ended;
  };
}

/** Makes a check of the target that runs when it is asked to, and an SLO for it. */
async function makeSlo(): Promise<{ checkId: string; sloId: string }> {
  const { check } = await dashboard.controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Checkout",
    type: "http",
    frequencySeconds: 86_400,
    locations: ["loc_us_east"],
    httpConfig: { url: targetUrl, assertions: [{ type: "status_code", value: 200 }] },
  });
  const { channel } = await dashboard.controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    { name: "On call", channel: { type: "webhook", url: targetUrl } },
  );
  const { slo } = await dashboard.controlPlane.ok<{ slo: { id: string } }>("POST", "/api/slos", {
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
      (await dashboard.controlPlane.ok<{ state: SloStatus }>("GET", `/api/slos/${sloId}/status`)).state;
    await until("the first run counts", async () => (await statusOf()).totalCount === 1);
    for (const status of [200, 200, 500]) {
      const before = (await statusOf()).totalCount;
      answer = status;
      await dashboard.controlPlane.ok("POST", `/api/checks/${checkId}/trigger`);
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
    await figure.waitFor();
    await expectAccessible(page);
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
  });

  it("a runner is added by the line that the dialog shows, and its connection is seen there", async () => {
    const { location } = await dashboard.controlPlane.ok<{ location: { id: string } }>(
      "POST",
      "/api/locations",
      {
        name: "office",
      },
    );
    const page = await open(pagePath("locations", {}));
    const row = page.getByRole("table", { name: "Locations" }).getByRole("row").nth(1);
    await row.getByText("none yet").waitFor();
    await row.getByRole("link", { name: "office" }).click();
    await page.getByText("No runner was connected in the last 7 days.").waitFor();
    const dialog = page.getByRole("dialog", { name: "Add a runner" });
    const add = page.getByRole("button", { name: "Add a runner" });
    await add.click();
    const line = dialog.getByRole("region", { name: "Command that starts the agent" });
    await dialog.getByText("Waiting for the agent's first heartbeat").waitFor();
    await line.waitFor();
    const command = (await line.textContent()) ?? "";
    await expectAccessible(page);
    const secret = /rk_[0-9a-f]{64}/.exec(command)?.[0] as string;
    expect(await dialog.getByText(secret, { exact: true }).count()).toBe(1);
    await dialog.getByRole("textbox", { name: "Address for runners" }).fill("http://x/; rm");
    await dialog.getByRole("alert").waitFor();
    expect(await line.count()).toBe(0);
    await dialog.getByRole("textbox", { name: "Address for runners" }).fill("http://svc.example.com:8081");
    await dialog.getByRole("combobox", { name: "Start the agent" }).selectOption("docker");
    expect(await line.textContent()).toContain("SVC_CONTROL_PLANE_URL=http://svc.example.com:8081");
    dashboard.stack.atEnd(
      runLine(command, { SVC_RUNNER_DATA_DIR: dashboard.stack.folder(), SVC_RUNNER_HEALTH_PORT: "0" }),
    );
    await dialog.getByText(/ connected after \d+ (s|ms)/).waitFor({ timeout: 90_000 });
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe("Add a runner");
    await expect.poll(() => page.content()).not.toContain(secret);
    const runners = page.getByRole("table", { name: "Runners", exact: true });
    await runners.getByRole("cell", { name: "Online" }).waitFor();
    await page.getByRole("figure", { name: "Runners connected over 7 days" }).waitFor();
    await expectAccessible(page);
    await dashboard.controlPlane.ok("POST", `/api/locations/${location.id}/keys`);
    await add.click();
    const { body } = await dashboard.controlPlane.call<{ error: string }>(
      "POST",
      `/api/locations/${location.id}/keys`,
    );
    await dialog.getByRole("alert").getByText(body.error, { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    const keys = page.getByRole("table", { name: "Runner keys" });
    await expect.poll(() => keys.getByRole("row").count()).toBe(3);
    await keys.getByRole("button", { name: "Revoke" }).first().click();
    await expect.poll(() => keys.getByRole("row").count()).toBe(2);
    await page.context().close();
  });

  it("a certificate that a check sees is listed with why it is not trusted", async () => {
    const secure = https.createServer(await aSelfSigned({ validToDays: 5 }), (_request, response) =>
      response.end(),
    );
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    dashboard.stack.atEnd(() => secure.close());
    const { check } = await dashboard.controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: "Shop over TLS",
      type: "http",
      frequencySeconds: 86_400,
      locations: ["loc_us_east"],
      httpConfig: { url: `https://localhost:${(secure.address() as AddressInfo).port}/` },
    });
    await until("the certificate is known", async () => {
      const path = `/api/checks/${check.id}/certificates`;
      return (
        (await dashboard.controlPlane.ok<{ certificates: unknown[] }>("GET", path)).certificates.length > 0
      );
    });
    const page = await open(pagePath("certificates", {}));
    const row = page.getByRole("table", { name: "Certificates" }).getByRole("row").nth(1);
    await row.getByText("localhost", { exact: true }).waitFor();
    await row.getByText(/^[45] days left$/).waitFor();
    await row.getByText("Self-signed", { exact: true }).waitFor();
    await expectAccessible(page);
    await row.getByRole("link", { name: "Shop over TLS" }).click();
    await page.getByRole("heading", { level: 1, name: "Shop over TLS" }).waitFor();
    await page.context().close();
  });

  it("a test that failed is delivered again, and a second test within a minute says how long to wait", async () => {
    const { channel } = await dashboard.controlPlane.ok<{ channel: { id: string } }>(
      "POST",
      "/api/notification-channels",
      { name: "Pager", channel: { type: "webhook", url: targetUrl } },
    );
    const page = await open(pagePath("channel", { id: channel.id }));
    answer = 500;
    const send = page.getByRole("button", { name: "Send a test" });
    await page.getByRole("combobox", { name: "Event" }).selectOption("An alert recovers");
    await send.click();
    const rows = page.getByRole("table", { name: "Deliveries" }).getByRole("row");
    await rows.nth(1).getByText("Failed").first().waitFor();
    await rows.nth(1).getByRole("cell", { name: "500", exact: true }).waitFor();
    await rows.nth(1).getByRole("cell", { name: "test: recovered" }).waitFor();
    await expectAccessible(page);
    answer = 200;
    await rows.nth(1).getByRole("button", { name: "Redeliver" }).click();
    await rows.nth(1).getByText("Delivered").first().waitFor();
    await page.getByText(/^again in \d+ s$/).waitFor();
    await page.goto(pagePath("channels", {}));
    const listed = page
      .getByRole("table", { name: "Channels" })
      .getByRole("row")
      .filter({ hasText: "Pager" });
    await listed.getByText("Delivered").waitFor();
    await listed.getByRole("cell", { name: "nothing" }).waitFor();
    await page.goBack();
    await send.click();
    const refusal = page.getByRole("alert").filter({ hasText: /\d+ s/ });
    await refusal.waitFor();
    const waits = async () =>
      Number(/(\d+) s/.exec((await page.getByText(/^again in/).textContent()) ?? "")?.[1]);
    const first = await waits();
    expect(first).toBeLessThanOrEqual(60);
    await expect.poll(waits).toBeLessThan(first);
    await page.context().close();
  });

  it("the next occurrences of a window stand at one time of the day in its zone, with their offsets", async () => {
    const { maintenanceWindow } = await dashboard.controlPlane.ok<{
      maintenanceWindow: { nextStartsAt: string };
    }>("POST", "/api/maintenance-windows", {
      name: "Upgrades",
      checkIds: "all",
      startsAt: "2020-01-05T02:30",
      endsAt: "2020-01-05T03:30",
      recurring: true,
      recurrenceRule: "FREQ=WEEKLY",
      timezone: "Europe/Berlin",
    });
    const page = await open(pagePath("maintenance", {}));
    const next = page.getByRole("list", { name: "Next occurrences" }).getByRole("listitem");
    await expect.poll(() => next.count()).toBeGreaterThan(3);
    expect(await next.first().locator("time").getAttribute("datetime")).toBe(maintenanceWindow.nextStartsAt);
    for (const text of await next.allTextContents())
      expect(text).toMatch(/Sun, .* 02:30 GMT\+[12] ?Europe\/Berlin Upgrades (in|for) /);
    await expectAccessible(page);
    await page.context().close();
  });
});
