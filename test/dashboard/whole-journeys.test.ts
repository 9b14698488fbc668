/** Whole ways through the dashboard: by keyboard alone, and two teams beside each other. */
import { pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { OWNER, signIn } from "../harness/dashboard.ts";
import {
  createFirstFailureRule,
  createHttpCheck,
  createWebhook,
  runUntil,
  setUpDashboardTests,
} from "../harness/dashboard-tests.ts";
import { createSecondTeam } from "../harness/second-team.ts";
import { startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";

/** Number of keys within which anything on a page is reached. */
const TABS_MAX = 120;

let statusOf: (path: string) => number = () => 200;
let siteUrl: string;

const dashboard = setUpDashboardTests({
  refusals: [404],
  withDatabase: true,
  async prepare({ stack }) {
    const site = await startSite((request, response) =>
      response.writeHead(statusOf(request.url ?? "/")).end("answer"),
    );
    stack.atEnd(site.close);
    siteUrl = site.url;
  },
});

/** Moves the focus on by Tab until it is on a control of this name, and sees that each stop shows the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < TABS_MAX; i++) {
    await page.keyboard.press("Tab");
    const { text, isVisible } = await page.evaluate<{ text: string; isVisible: boolean }>(`(() => {
      const element = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return {
        text: element.getAttribute("aria-label") ?? element.textContent ?? "",
        isVisible: element === document.body || (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2),
      };
    })()`);
    expect([text, isVisible]).toEqual([text, true]);
    if (name.test(text.trim())) return;
  }
  throw new Error(`no control ${name} within ${TABS_MAX} tabs`);
}

/** Time in which a page opens after a key on a busy machine. */
const KEY_PATIENCE_MS = 20_000;

describe.runIf(hasBrowser)(`whole ways${BROWSER_ADVICE}`, () => {
  it("from the sign-in to an acknowledged alert by keyboard alone, the focus always visible, nothing moving", async () => {
    const channelId = await createWebhook(dashboard, `${siteUrl}hook`);
    const checkId = await createHttpCheck(dashboard, `${siteUrl}till`, {
      name: "Till of the shop",
      frequencySeconds: 3600,
    });
    await createFirstFailureRule(dashboard, { checkId, channelId });
    await runUntil(dashboard, checkId, "success");
    statusOf = (path) => (path === "/till" ? 500 : 200);

    const page = await dashboard.browser.open({ reducedMotion: "reduce" });
    const { keyboard } = page;
    await page.goto("/");
    await page.getByRole("textbox", { name: "Email" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).focus();
    await keyboard.press("Tab");
    await keyboard.type(OWNER.email);
    await keyboard.press("Tab");
    await keyboard.type(OWNER.password);
    await keyboard.press("Enter");
    await page.getByRole("banner").waitFor();

    await keyboard.press("Control+K");
    await keyboard.type("till");
    await page
      .getByRole("group", { name: "Checks" })
      .getByRole("option", { name: "Till of the shop" })
      .waitFor();
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Till of the shop" }).waitFor();
    await tabTo(page, /^Run now$/);
    await keyboard.press("Enter");
    await page
      .getByRole("region", { name: "Last failure" })
      .getByText("expected status 200, got 500")
      .waitFor();
    await tabTo(page, /^See why$/);
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "Why it failed" }).waitFor();
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);

    await keyboard.press("g");
    await keyboard.press("a");
    await page.getByRole("table", { name: "Alerts" }).getByText("Till of the shop").first().waitFor();
    await tabTo(page, /^It fails$/);
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "Why it fired" }).waitFor();
    await tabTo(page, /^Acknowledge$/);
    await keyboard.press("Enter");
    await page.getByText("Acknowledged", { exact: true }).first().waitFor();
    const path = "/api/alerts/instances?state=acknowledged";
    const { instances } = await dashboard.controlPlane.ok<{ instances: { checkId: string }[] }>("GET", path);
    expect(instances.map((one) => one.checkId)).toEqual([checkId]);
    await keyboard.press("m");
    await page
      .getByText(/Muted until/)
      .first()
      .waitFor();
    await keyboard.press("m");
    await page.getByText(/Muted until/).waitFor({ state: "detached" });

    await keyboard.press("g");
    await keyboard.press("i");
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    const hypothesis = page.getByRole("region", { name: "Hypothesis" });
    await until("the incident is open", async () => {
      // On a machine that is busy with other work a key now and then opens nothing; a person presses it again.
      await tabTo(page, /Till of the shop/);
      await keyboard.press("Enter");
      return hypothesis.waitFor({ timeout: KEY_PATIENCE_MS }).then(
        () => true,
        () => false,
      );
    });
    await keyboard.press("a");
    const incidents = "/api/incidents?state=acknowledged";
    await until("the incident is acknowledged", async () => {
      const list = await dashboard.controlPlane.ok<{ incidents: unknown[] }>("GET", incidents);
      return list.incidents.length === 1;
    });
    await page.context().close();
  });

  it("a run that fails at one location is compared with the last success there, and says where there is none", async () => {
    const checkId = await createHttpCheck(dashboard, `${siteUrl}cart`, {
      name: "Cart",
      frequencySeconds: 3600,
      locations: ["loc_us_east"],
    });
    statusOf = () => 200;
    await runUntil(dashboard, checkId, "success");
    statusOf = () => 500;
    await dashboard.controlPlane.ok("PUT", `/api/checks/${checkId}`, {
      locations: ["loc_us_east", "loc_us_west"],
    });
    await dashboard.controlPlane.ok("POST", `/api/checks/${checkId}/trigger`);
    interface Listed {
      results: { id: string; locationId: string }[];
    }
    const failures = await until("both locations have failed", async () => {
      const listed = `/api/checks/${checkId}/results?status=failure`;
      const { results } = await dashboard.controlPlane.ok<Listed>("GET", listed);
      return new Set(results.map(({ locationId }) => locationId)).size === 2 ? results : undefined;
    });
    const page = await dashboard.browser.open();
    await signIn(page);
    const comparison = page.getByRole("region", { name: "Compared with the last success" });
    const resultAt = (locationId: string) =>
      failures.find((one) => one.locationId === locationId)?.id as string;
    await page.goto(pagePath("result", { id: checkId, resultId: resultAt("loc_us_west") }));
    await comparison.getByText(/There is no earlier success from .*Oregon/).waitFor();
    await page.goto(pagePath("result", { id: checkId, resultId: resultAt("loc_us_east") }));
    await comparison.getByText("HTTP status 200 before, 500 now.").waitFor();
    await page.context().close();
  });

  it("the list of checks is ordered by response time both ways, as its header says", async () => {
    statusOf = () => 200;
    for (const name of ["Fast", "Slow"])
      await runUntil(
        dashboard,
        await createHttpCheck(dashboard, `${siteUrl}${name}`, { name, frequencySeconds: 3600 }),
        "success",
      );
    const page = await dashboard.browser.open();
    await signIn(page, pages.checks.path);
    const header = page.getByRole("columnheader", { name: "Response time" });
    const rows = page.getByRole("table", { name: "Checks" }).getByRole("row");
    const times = async () =>
      (await rows.allInnerTexts()).flatMap((text) => {
        const found = /([\d.,]+) (ms|s)\b/.exec(text);
        return found ? [Number(found[1]?.replaceAll(",", "")) * (found[2] === "s" ? 1000 : 1)] : [];
      });
    for (const direction of ["ascending", "descending"]) {
      await header.getByRole("button").click();
      await expect.poll(() => header.getAttribute("aria-sort")).toBe(direction);
      const shown = await times();
      expect(shown.length).toBeGreaterThanOrEqual(2);
      const ordered = [...shown].sort((a, b) => (direction === "ascending" ? a - b : b - a));
      expect(shown).toEqual(ordered);
    }
    await page.context().close();
  });

  it("one team's pages and stream hold nothing of another's", async () => {
    const other = await createSecondTeam({
      databaseUrl: dashboard.databaseUrl,
      controlPlane: dashboard.controlPlane,
    });
    const page = await dashboard.browser.open();
    const heard: string[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/") && !response.url().includes("/api/live"))
        void response.text().then(
          (text) => heard.push(text),
          () => undefined,
        );
    });
    await page.goto(other.signInUrl);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "No checks yet" }).waitFor();
    // A stream of the page's own would be read by its worker; this one is read here, with the same session.
    const cookies = await page.context().cookies();
    const stream = await fetch(`${dashboard.controlPlane.url}/api/live`, {
      headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") },
    });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let streamed = "";
    const reading = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        streamed += new TextDecoder().decode(part.value);
    })().catch(() => undefined);

    statusOf = () => 500;
    const foreign = await createHttpCheck(dashboard, `${siteUrl}foreign`, {
      name: "Foreign",
      frequencySeconds: 3600,
    });
    await runUntil(dashboard, foreign, "failure");
    await other.call("POST", "/api/events/deployments", { service: "own", version: "7.7.7" });
    await until("the own team's deployment is on the stream", () => streamed.includes("7.7.7"));
    await page.goto(pages.checks.path);
    await page.getByRole("heading", { level: 1, name: "Checks" }).waitFor();
    await page.goto(pagePath("check", { id: foreign }));
    await page.getByRole("heading", { name: "Check not found" }).waitFor();
    await reader.cancel();
    await reading;
    expect(streamed + heard.join("\n")).not.toContain("Foreign");
    expect(streamed).not.toContain(foreign);
    await page.context().close();
  });
});
