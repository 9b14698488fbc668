/** The overview: how to begin, what fails and why, and figures that agree with those of the checks. */
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, runUntil, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests();

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const failing = (page: Page) => page.getByRole("region", { name: "Failing now" });

const makeCheck = (name: string) => createHttpCheck(dashboard, dashboard.stack.target.url, { name });

describe.runIf(hasBrowser)(`the overview${BROWSER_ADVICE}`, () => {
  it("without checks shows three ways to begin, and steps that can be dismissed", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    await heading(page, "No checks yet").waitFor();
    for (const name of ["Make a check", "Import an OpenAPI document", "Deploy from a file"])
      await page.getByRole("region", { name }).waitFor();
    await page.getByText("npx svc init").waitFor();
    const steps = page.getByRole("region", { name: "First steps" });
    expect(await steps.getByText("To do").count()).toBe(4);
    await steps.getByRole("button", { name: "Dismiss" }).click();
    await page.reload();
    await page.getByRole("region", { name: "Make a check" }).waitFor();
    expect(await steps.count()).toBe(0);
    await page.getByRole("link", { name: "New check" }).click();
    await heading(page, "New check").waitFor();
    await page.context().close();
  });

  it("needs two requests besides the stream, and shows a failure with its reason and its end without reload", async () => {
    const checkId = await makeCheck("Checkout");
    await runUntil(dashboard, checkId, "success");
    const page = await dashboard.browser.open();
    await signIn(page);
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/") && pathname !== "/api/live") asked.push(pathname);
    });
    await page.reload();
    await heading(page, "The one check is healthy").waitFor();
    await page
      .getByRole("status", { name: "Connection" })
      .filter({ hasText: /^Live$/ })
      .waitFor();
    expect([...new Set(asked)].sort()).toEqual(["/api/auth/session", "/api/overview"]);

    dashboard.stack.target.answerWith(500);
    const resultId = await runUntil(dashboard, checkId, "failure");
    await heading(page, /1 of 1/).waitFor();
    expect(await page.title()).toMatch(/^\(1\) 1 of 1/);
    expect(await page.locator('link[rel="icon"]').getAttribute("href")).toMatch(/failing/);
    const entry = failing(page).getByRole("listitem");
    const texts = (await entry.allInnerTexts()).join("\n");
    for (const part of ["Checkout", "Unhealthy", "1 of 1 location", "500"]) expect(texts).toContain(part);
    // A scheduled run may have failed since.
    await expect
      .poll(() => entry.getByRole("link", { name: "Failure" }).getAttribute("href"))
      .toMatch(new RegExp(`^/checks/${checkId}/results/`));
    await page.goto(`/checks/${checkId}/results/${resultId}`);
    await heading(page, /Failure/).waitFor();
    await page.goto("/");
    await heading(page, /1 of 1/).waitFor();

    dashboard.stack.target.answerWith(200);
    await runUntil(dashboard, checkId, "success");
    await failing(page).getByText("Nothing is failing.").waitFor();
    await page.getByRole("log", { name: "Changes" }).getByText("Checkout is healthy").waitFor();
    expect(await page.title()).toMatch(/^The one check/);
    await page.getByRole("link", { name: /Slots/ }).click();
    await heading(page, "Locations").waitFor();
    await page.context().close();
  });

  it("the wall shows the checks of a label, those that fail first, without navigation", async () => {
    const ids = [];
    for (const [name, label] of [
      ["Alpha", "team:a"],
      ["Broken", "team:a"],
      ["Stranger", "team:b"],
    ] as const) {
      const id = await makeCheck(name);
      await dashboard.controlPlane.ok("PUT", `/api/checks/${id}/labels`, { labels: [label] });
      ids.push(id);
    }
    dashboard.stack.target.answerWith(200);
    await runUntil(dashboard, ids[0] as string, "success");
    // The service may answer for two seconds what it answered before the checks were made.
    await expect
      .poll(
        async () =>
          (await dashboard.controlPlane.ok<{ names: string[] }>("GET", "/api/checks/summary")).names,
      )
      .toContain("Stranger");
    const page = await dashboard.browser.open();
    await signIn(page);
    await page.getByRole("link", { name: "Wall" }).click();
    const all = page.getByRole("region", { name: "Checks" });
    await all.getByRole("listitem").filter({ hasText: "Stranger" }).waitFor();
    await page.goto("/wall?label=team:a&group=label");
    await heading(page, /^2 checks|^All 2/).waitFor();
    dashboard.stack.target.answerWith(500);
    await runUntil(dashboard, ids[1] as string, "failure");
    await page
      .getByRole("listitem")
      .first()
      .filter({ hasText: /Broken|Alpha/ })
      .filter({ hasText: "Unhealthy" })
      .waitFor();
    await heading(page, /of 2 checks/).waitFor();
    await page.getByRole("heading", { level: 2, name: "team:a" }).waitFor();
    const wall = await page.getByRole("main").innerText();
    expect(wall).not.toMatch(/Stranger|Checkout/);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(wall).toMatch(/Updated (just now|\d+ s ago)/);
    await page.context().close();
  });
});
