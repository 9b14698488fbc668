/** The dashboard as people use it: signing in, looking for what fails and why, doing something about it, making a key. */
import { isPagePath, pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { OWNER, signIn } from "../harness/dashboard.ts";
import {
  createFirstFailureRule,
  createHttpCheck,
  createWebhook,
  setUpDashboardTests,
} from "../harness/dashboard-tests.ts";
import { startSite } from "../harness/site.ts";

/** What a hostile target answers: nothing of it may run, and all of it must be readable as text. */
const HOSTILE = `<script>window.hacked = true</script><img src=x onerror="window.hacked = true"> \u202eesrever`;
/** A line as long as the evidence that is kept, without a place to break it. */
const LONG_LINE = `\n${"<b>".repeat(21_000)}`;
/** Headers that would be something else than text. */
const HOSTILE_HEADERS = {
  "content-type": "text/html",
  "x-hostile": "<b>header</b>",
  location: "javascript:window.hacked=true",
};

let checkId: string;
/** Status that the target answers notifications with. */
let hookStatus = 500;

const dashboard = setUpDashboardTests({
  refusals: [404, 429],
  async prepare({ stack, controlPlane }) {
    const target = await startSite((request, response) => {
      const status = request.url === "/hook" ? hookStatus : 500;
      response.writeHead(status, HOSTILE_HEADERS).end(HOSTILE + LONG_LINE);
    });
    stack.atEnd(target.close);
    checkId = await createHttpCheck(dashboard, target.url, { name: "Checkout <script>alert(1)</script>" });
    const channelId = await createWebhook(dashboard, `${target.url}hook`);
    await createFirstFailureRule(dashboard, { checkId, channelId });
    await controlPlane.ok("POST", "/api/slos", {
      name: "Works",
      checkId,
      targetBasisPoints: 9990,
      windowDays: 30,
    });
  },
});

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;

describe.runIf(hasBrowser)(`the dashboard${BROWSER_ADVICE}`, () => {
  it("leads to the sign-in and from there to the page that was asked for, and to no other site", async () => {
    const page = await dashboard.browser.open();
    await page.goto("/checks");
    await heading(page, "Sign in").waitFor();
    expect(pathOf(page)).toBe("/sign-in?returnTo=%2Fchecks");
    await page.getByRole("textbox", { name: "Email" }).fill(OWNER.email);
    await page.getByRole("textbox", { name: "Password" }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/wrong|password/i);
    await page.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await heading(page, "Checks").waitFor();
    expect(pathOf(page)).toBe("/checks");
    for (const elsewhere of ["https://evil.test/", "//evil.test", "/api/checks"]) {
      expect(isPagePath(elsewhere)).toBe(false);
      const other = await dashboard.browser.open();
      await signIn(other, `/sign-in?returnTo=${encodeURIComponent(elsewhere)}`);
      expect(pathOf(other)).toBe("/");
      await other.context().close();
    }
    await page.context().close();
  });

  it("shows nothing more after the sign-out, also by the browser's way back", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, "/checks");
    await page.getByRole("link", { name: /Checkout/ }).waitFor();
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();
    await page.goBack();
    await heading(page, "Sign in").waitFor();
    expect(await page.getByText("Checkout").count()).toBe(0);
    expect((await page.request.get("/api/auth/session")).status()).toBe(401);
    await page.context().close();
  });

  it("says of a failing check that it fails, since when and why, without running what the target sent", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    await heading(page, /is failing|are failing/).waitFor();
    const failing = page.getByRole("region", { name: "Failing now" });
    await failing.getByText("Unhealthy").first().waitFor();
    await failing.getByRole("link", { name: /Checkout/ }).click();
    await heading(page, "Checkout <script>alert(1)</script>").waitFor();
    expect(pathOf(page)).toBe(pagePath("check", { id: checkId }));
    await page.getByText(/next: .+ in \d+ s/).waitFor();
    await page
      .getByRole("region", { name: "Last failure" })
      .getByText(/expected status 200, got 500/)
      .waitFor();
    await page.getByRole("tab", { name: "Results" }).click();
    const results = page.getByRole("table", { name: "Results" });
    await results
      .getByRole("cell", { name: /expected status 200, got 500/ })
      .first()
      .waitFor();
    await results.getByRole("link").first().click();
    await page
      .getByRole("region", { name: "Why it failed" })
      .getByText(/expected status 200, got 500/)
      .waitFor();
    await page.getByRole("figure", { name: "Timing" }).getByText("no TLS").waitFor();
    const body = page.getByRole("region", { name: "Response body" });
    expect(await body.textContent()).toContain("<script>window.hacked = true</script>");
    expect(await body.textContent()).toContain("[U+202E]esrever");
    await page.getByText("javascript:window.hacked=true").first().waitFor();
    expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await page.evaluate(() => (globalThis as { hacked?: boolean }).hacked)).toBeUndefined();
    await page.context().close();
  });

  it("runs a check at once, and says for how long when that is refused", async () => {
    const { check } = await dashboard.controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: "Run often",
      type: "http",
      enabled: false,
      frequencySeconds: 300,
      locations: ["loc_us_east"],
      httpConfig: { url: dashboard.stack.target.url },
    });
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id: check.id }));
    const run = page.getByRole("button", { name: "Run now" });
    const refusal = page.getByRole("alert").getByText(/Too many triggers: .*try again in \d+ s/);
    await run.click();
    await page.getByRole("tab", { name: "Results" }).click();
    const results = page.getByRole("table", { name: "Results" });
    await results.getByRole("cell", { name: "manual" }).first().waitFor();
    // Ten are allowed in ten seconds, which are over soon where a click takes a second: others trigger the check, too.
    for (let i = 0; i < 40 && !(await refusal.isVisible()); i++) {
      const trigger = () => dashboard.controlPlane.call("POST", `/api/checks/${check.id}/trigger`);
      await Promise.all(Array.from({ length: 10 }, trigger));
      await run.click();
      await expect.poll(() => run.isEnabled()).toBe(true);
    }
    await refusal.waitFor();
    expect(await run.isEnabled()).toBe(true);
    await dashboard.controlPlane.ok("DELETE", `/api/checks/${check.id}`);
    await page.context().close();
  });

  it("acknowledges an alert, and takes an incident through its life, as the API then says", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, "/alerts");
    await page.getByRole("table", { name: "Alerts" }).getByRole("link", { name: "It fails" }).click();
    const why = page.getByRole("region", { name: "Why it fired" });
    await why.getByText(/One location had \d+ failures? in a row; the rule fires at 1\./).waitFor();
    expect(await why.getByRole("link", { name: "newest result" }).getAttribute("href")).toMatch(
      new RegExp(`^/checks/${checkId}/results/res_`),
    );
    const notified = page.getByRole("list", { name: "Who was told" });
    // The webhook leads to the failing target, whose answer stands beside the channel.
    await notified.getByText("HTTP 500").first().waitFor();
    await notified.getByText("On-call").first().waitFor();
    await page.getByRole("region", { name: "Its incident" }).getByRole("link").waitFor();
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.getByRole("button", { name: "Acknowledge" }).waitFor({ state: "detached" });
    const { instances } = await dashboard.controlPlane.ok<{ instances: { state: string }[] }>(
      "GET",
      "/api/alerts/instances",
    );
    expect(instances.map(({ state }) => state)).toEqual(["acknowledged"]);

    const { incidents } = await dashboard.controlPlane.ok<{ incidents: { id: string; triageUrl: string }[] }>(
      "GET",
      "/api/incidents",
    );
    const { id, triageUrl } = incidents[0] as { id: string; triageUrl: string };
    await page.goto(triageUrl);
    await page
      .getByRole("region", { name: "Hypothesis" })
      .getByText(/Confidence \d+ %/)
      .waitFor();
    await page
      .getByRole("table", { name: "Affected" })
      .getByRole("link", { name: /Checkout/ })
      .waitFor();
    await page.getByRole("textbox", { name: "Add a note" }).fill("Rolled back <b>1.2.3</b>");
    await page.getByRole("button", { name: "Add note" }).click();
    await page.getByRole("feed", { name: "Timeline" }).getByText("Rolled back <b>1.2.3</b>").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Reopen" }).click();
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.getByRole("button", { name: "Acknowledge" }).waitFor({ state: "detached" });
    const { incident } = await dashboard.controlPlane.ok<{ incident: { state: string } }>(
      "GET",
      `/api/incidents/${id}`,
    );
    expect(incident.state).toBe("acknowledged");
    await page.context().close();
  });

  it("pauses and resumes a check", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id: checkId }));
    const isEnabled = async () =>
      (await dashboard.controlPlane.ok<{ check: { enabled: boolean } }>("GET", `/api/checks/${checkId}`))
        .check.enabled;
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await isEnabled()).toBe(false);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(await isEnabled()).toBe(true);
    await page.context().close();
  });

  it("tries a channel, repeats a delivery that failed, and says how long the next test has to wait", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.channels.path);
    await page.getByRole("table", { name: "Channels" }).getByRole("link", { name: "On-call" }).click();
    await heading(page, "On-call").waitFor();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page
      .getByRole("status")
      .getByText(/^Failed: /)
      .waitFor();
    const tests = page.getByRole("table", { name: "Deliveries" }).getByRole("row", { name: /test: / });
    await tests.getByRole("cell", { name: "500", exact: true }).waitFor();
    hookStatus = 200;
    await tests.getByRole("button", { name: "Redeliver" }).click();
    // The newest attempt is first; the failed one stays in the log, and says that it was delivered since.
    await tests.first().getByRole("cell", { name: "200", exact: true }).waitFor();
    await tests.last().getByRole("cell", { name: "Delivered" }).waitFor();
    expect(await tests.count()).toBe(2);
    await page.getByRole("button", { name: "Send a test" }).click();
    await page
      .getByRole("alert")
      .getByText(/\b\d+ s/)
      .waitFor();
    const shown = await page
      .getByRole("region", { name: /^Configuration/ })
      .first()
      .textContent();
    expect(shown).toContain("webhook");
    await page.context().close();
  });

  it("lists deployments and events, and keeps the choice in the address", async () => {
    await dashboard.controlPlane.ok("POST", "/api/events/deployments", {
      service: "<i>shop</i>",
      version: "1.2.3",
    });
    const page = await dashboard.browser.open();
    await signIn(page, pages.deployments.path);
    await page.getByRole("table", { name: "Deployments" }).getByText("<i>shop</i>").waitFor();
    await page.goto(pages.events.path);
    const events = page.getByRole("table", { name: "Events" });
    await events.getByText("check.failed").first().waitFor();
    await page.getByRole("combobox", { name: "Type" }).selectOption("alert.triggered");
    await expect.poll(() => events.getByRole("cell", { name: "check.failed" }).count()).toBe(0);
    await events.getByRole("cell", { name: "alert.triggered" }).first().waitFor();
    expect(pathOf(page)).toBe("/events?type=alert.triggered");
    await page.reload();
    await events.getByRole("cell", { name: "alert.triggered" }).first().waitFor();
    expect(await events.getByRole("cell", { name: "check.failed" }).count()).toBe(0);
    await page.context().close();
  });

  it("makes a key that is shown once and works, and revokes it", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.keys.path);
    await page.getByRole("textbox", { name: "Name of the key" }).fill("From the page");
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Your new key" });
    const secret = (await dialog.getByRole("code").textContent()) ?? "";
    expect(secret).toMatch(/^sk_[0-9a-f]{64}$/);
    const asked = () =>
      dashboard.controlPlane
        .fetch("/api/checks", { headers: { authorization: `Bearer ${secret}` } })
        .then(({ status }) => status);
    expect(await asked()).toBe(200);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.getByText(secret).count()).toBe(0);
    const row = page.getByRole("row", { name: /From the page/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect(await asked()).toBe(401);
    await page.context().close();
  });

  it("invites a colleague, makes her a viewer, and removes her: her next look leads to the sign-in", async () => {
    const owner = await dashboard.browser.open();
    await signIn(owner, pages.members.path);
    await owner.getByRole("textbox", { name: "Email address" }).fill("pat@example.com");
    await owner.getByRole("button", { name: "Invite" }).click();
    const dialog = owner.getByRole("dialog", { name: "Invitation" });
    const link = (await dialog.getByRole("code").textContent()) ?? "";
    await dialog.getByRole("button", { name: "Close" }).click();
    const colleague = await dashboard.browser.open();
    await colleague.goto(link);
    await colleague.getByLabel(/Choose a password/).fill("a password of her own");
    await colleague.getByRole("button", { name: "Join" }).click();
    await colleague.getByRole("navigation", { name: "Main" }).waitFor();
    await colleague.goto(pagePath("check", { id: checkId }));
    await colleague.getByRole("button", { name: "Run now" }).waitFor();
    await owner.reload();
    await owner.getByRole("combobox", { name: "Role of pat@example.com" }).selectOption("viewer");
    await expect
      .poll(() => owner.getByRole("combobox", { name: "Role of pat@example.com" }).inputValue())
      .toBe("viewer");
    await colleague.reload();
    await heading(colleague, /Checkout/).waitFor();
    expect(await colleague.getByRole("button", { name: "Run now" }).count()).toBe(0);
    const row = owner.getByRole("row", { name: /pat@example.com/ });
    await row.getByRole("button", { name: "Remove" }).click();
    await row.waitFor({ state: "detached" });
    await colleague.goto("/checks");
    await heading(colleague, "Sign in").waitFor();
    await Promise.all([owner.context().close(), colleague.context().close()]);
  });
});
