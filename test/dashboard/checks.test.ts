/** The list of checks at a thousand of them: few requests, few rows in the document, and a filter that finds the last one. */
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const CHECKS = 1_000;

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  withDatabase: true,
  async prepare({ stack, databaseUrl }) {
    const checkId = await createHttpCheck(dashboard, stack.target.url, {
      name: "Check 0",
      enabled: false,
      frequencySeconds: 60,
      locations: ["loc_us_east", "loc_eu_central"],
    });
    const knex = openPool(databaseUrl, { poolMax: 1 });
    await knex.raw(
      `INSERT INTO checks (id, team_id, name, type, enabled, frequency_seconds, location_ids, config, revision, created_at)
       SELECT 'chk_' || substr(md5(n::text) || md5('x' || n), 1, 26), team_id, 'Check ' || n, type, enabled,
         frequency_seconds + n, location_ids, config, revision, created_at - n * interval '1 s'
       FROM checks CROSS JOIN generate_series(1, ?::integer) n WHERE id = ?`,
      [CHECKS - 1, checkId],
    );
    await knex.destroy();
  },
});

const table = (page: Page) => page.getByRole("table", { name: "Checks" });
const firstName = (page: Page) => table(page).getByRole("link").first().textContent();

describe.runIf(hasBrowser)(`the list of a thousand checks${BROWSER_ADVICE}`, () => {
  it("asks for little, holds the rows in sight only, and finds the last one", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.overview.path);
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/api\/checks/.test(pathname)) asked.push(pathname);
    });
    await page.goto(pages.checks.path);
    await page.getByText("1,000 checks").waitFor();
    expect(await table(page).getAttribute("aria-rowcount")).toBe(String(CHECKS + 1));
    await expect.poll(() => asked.filter((path) => path === "/api/checks/health").length).toBeGreaterThan(0);
    expect(asked.filter((path) => path === "/api/checks/summary").length).toBeLessThanOrEqual(2);
    expect(asked).not.toContain("/api/checks");
    expect(await page.evaluate(`document.querySelectorAll("*").length`)).toBeLessThan(1_500);
    expect(await table(page).getByRole("row").count()).toBeLessThan(100);

    await page.getByRole("searchbox", { name: "Filter checks" }).fill(`${CHECKS - 1} is:paused`);
    await page.getByText("1 of 1,000 checks").waitFor();
    expect(await firstName(page)).toBe(`Check ${CHECKS - 1}`);
    await page.reload();
    await page.getByText("1 of 1,000 checks").waitFor();
    await page.getByRole("searchbox", { name: "Filter checks" }).fill("");
    await page.getByText("1,000 checks").waitFor();
  });

  it("sorts by a column both ways, and shows the last row at the end of the page", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, `${pages.checks.path}?sort=-frequency`);
    await expect.poll(() => firstName(page)).toBe(`Check ${CHECKS - 1}`);
    const every = page.getByRole("columnheader", { name: "Every" });
    expect(await every.getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("button", { name: "Every" }).click();
    await page.getByRole("button", { name: "Every" }).click();
    expect(await every.getAttribute("aria-sort")).toBe("ascending");
    await expect.poll(() => firstName(page)).toBe("Check 0");
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
    await table(page)
      .getByRole("link", { name: `Check ${CHECKS - 1}`, exact: true })
      .waitFor();
  });
});
