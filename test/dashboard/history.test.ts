/** What was, as people read it in the dashboard: slots, response times, ranges, results beside one another. */

import { pagePath, type Series } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";

let checkId: string;
let answer = 200;

interface Listed {
  results: { id: string; status: string; locationId: string; slotAt: string }[];
}
const resultsOf = async (query: string) =>
  (await dashboard.controlPlane.ok<Listed>("GET", `/api/checks/${checkId}/results?${query}`)).results;
const trigger = () => dashboard.controlPlane.ok<{ runId: string }>("POST", `/api/checks/${checkId}/trigger`);

const dashboard = setUpDashboardTests({
  refusals: [404],
  withDatabase: true,
  async prepare({ stack, controlPlane, databaseUrl }) {
    const target = await startSite((_request, response) => response.writeHead(answer).end("<b>answer</b>"));
    stack.atEnd(target.close);
    const { location } = await controlPlane.ok<{ location: { id: string } }>("POST", "/api/locations", {
      name: "office",
    });
    checkId = await createHttpCheck(dashboard, target.url, {
      name: "Checkout",
      locations: ["loc_us_east", location.id],
    });
    const knex = openPool(databaseUrl, { poolMax: 1 });
    await knex.raw(
      `INSERT INTO baselines (check_key, location_key, metric, hour_of_week, sample_count, mean, squares)
       SELECT c.key, l.key, 'response_time', hour, 30, 40, 2900 FROM checks c, locations l, generate_series(0, 167) AS hour
       WHERE c.id = ? AND l.id = 'loc_us_east'`,
      [checkId],
    );
    await knex.destroy();
    await until("a result that is a success", async () => (await resultsOf("status=success")).length > 0);
    answer = 500;
    await trigger();
    await until("a result that is a failure", async () => (await resultsOf("status=failure")).length > 0);
  },
});

describe.runIf(hasBrowser)(`the history of a check${BROWSER_ADVICE}`, () => {
  it("tells of each slot how it turned out or why it is missing", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id: checkId }));
    const missing = page.getByRole("slider", { name: "Slots at office" });
    await missing.waitFor();
    // The first run of the private location is missing once its grace has passed.
    await expect
      .poll(
        async () => {
          await page.reload();
          await missing.focus();
          await page.keyboard.press("Home");
          return missing.getAttribute("aria-valuetext");
        },
        { timeout: 90_000, interval: 2_000 },
      )
      .toContain("No runner was connected at this location when it was due.");
    await page.getByRole("table", { name: "Missing slots" }).getByText("office").first().waitFor();
    const slider = page.getByRole("slider", { name: /Slots at .*Virginia|Slots at .*US East/ });
    await slider.focus();
    await page.keyboard.press("End");
    const newest = await slider.getAttribute("aria-valuetext");
    await page.keyboard.press("ArrowLeft");
    expect(await slider.getAttribute("aria-valuetext")).not.toBe(newest);
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /^Success from/ }).waitFor();
    await page.context().close();
  });

  it("says how it stands and when it runs next, its figures, and what happened meanwhile", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id: checkId }));
    await page.getByText(/Every 10 s from 2 locations, next: .+ in \d+ s/).waitFor();
    await page.getByRole("link", { name: /^http:\/\/127\.0\.0\.1/ }).waitFor();
    const { whole } = await dashboard.controlPlane.ok<Series>("GET", `/api/checks/${checkId}/series`);
    const results = whole.success + whole.failure + whole.error + whole.timeout;
    expect(results).toBeGreaterThan(1);
    await page
      .getByText("all accounted for")
      .or(page.getByText(/\d+ without a result/))
      .first()
      .waitFor();
    expect(await page.getByRole("definition").first().textContent()).toMatch(/^\d+\.\d\d %$/);

    await dashboard.controlPlane.ok("POST", "/api/events/deployments", { service: "shop", version: "1.2.3" });
    const happened = page.getByRole("list", { name: "Annotations" });
    await happened.getByText("shop 1.2.3").waitFor({ timeout: 90_000 });
    const last = page.getByRole("region", { name: "Last failure" });
    await last.getByText("<b>answer</b>").waitFor();
    await page.context().close();
  });

  it("shows the range in which response times usually are", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id: checkId }));
    const figure = page.getByRole("figure", { name: "Response time" });
    await figure.getByRole("combobox", { name: "Usual range of" }).selectOption({ index: 1 });
    await figure.getByText("Usually from").waitFor();
    await figure.getByRole("combobox", { name: "Usual range of" }).selectOption("None");
    await expect.poll(() => figure.getByText("Usually from").count()).toBe(0);
    await page.context().close();
  });

  it("keeps a range in the address, and shows the response times of the API as a table", async () => {
    const page = await dashboard.browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page, pagePath("check", { id: checkId }));
    const range = page.getByRole("group", { name: "Time range" });
    await range.getByRole("button", { name: "Last 24 hours" }).click();
    await range.getByRole("button", { name: "Last 7 days" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?range=7d");
    await range.getByRole("button", { name: "Copy link to this range" }).click();
    const copied = new URL(await page.evaluate("navigator.clipboard.readText()"));
    const [from, to] = [copied.searchParams.get("from"), copied.searchParams.get("to")];
    expect(Date.parse(to ?? "") - Date.parse(from ?? "")).toBe(7 * 86_400_000);
    const { series } = await dashboard.controlPlane.ok<Series>(
      "GET",
      `/api/checks/${checkId}/series?from=${from}&to=${to}`,
    );
    await page.goto(copied.href);
    const figure = page.getByRole("figure", { name: "Response time" });
    await figure.getByRole("button", { name: "Show as table" }).click();
    const table = figure.getByRole("table", { name: "Response times" });
    await table.waitFor();
    expect(await table.getByRole("row").count()).toBe((series[0]?.p50Ms.length ?? 0) + 1);
    await page.context().close();
  });

  it("compares a failure with the last success of its location, and leads to its neighbors by key", async () => {
    const [failure] = await resultsOf("status=failure");
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("result", { id: checkId, resultId: failure?.id ?? "" }));
    const compared = page.getByRole("region", { name: "Compared with the last success" });
    await compared.getByText("HTTP status 200 before, 500 now.").waitFor();
    await compared.getByRole("table", { name: "Times compared" }).waitFor();
    const choice = compared.getByRole("combobox", { name: "Compare with" });
    await choice.selectOption("This run elsewhere");
    await compared.getByText("In this run there is no result but that from").waitFor();
    await choice.selectOption("Previous result here");
    await compared.getByRole("table", { name: "Times compared" }).waitFor();
    await page
      .getByRole("region", { name: "Why it failed" })
      .getByText("The response was not what the check expects")
      .waitFor();
    const tabs = page.getByRole("navigation", { name: "Locations of this run" });
    expect(await tabs.getByRole("link").or(tabs.getByText("office: no result")).count()).toBe(2);
    await page.getByRole("link", { name: "Previous result" }).waitFor();
    const address = page.url();
    await page.keyboard.press("[");
    await expect.poll(() => page.url()).not.toBe(address);
    await page.getByRole("link", { name: "Next result" }).waitFor();
    await page.keyboard.press("]");
    await expect.poll(() => page.url()).toBe(address);
    await page.getByRole("link", { name: "All locations of this run" }).click();
    await page.getByRole("table", { name: "Results by location" }).getByText("office").waitFor();
    await page.context().close();
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`is accessible and fits a narrow screen, ${colorScheme}`, async () => {
      const page = await dashboard.browser.open({ colorScheme, viewport: { width: 320, height: 640 } });
      await signIn(page, pagePath("check", { id: checkId }));
      for (const tab of ["Overview", "Results", "Slots", "Alerts", "Config"]) {
        await page.getByRole("tab", { name: tab }).click();
        await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
        expect([tab, await accessibilityProblems(page)]).toEqual([tab, []]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
      }
      await page.context().close();
    });
});
