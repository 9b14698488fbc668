/** Alert rules in the dashboard: as sentences, tried on what happened, explained, changed and deleted. */
import { pages } from "@svc/contract";
import pg from "pg";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { createPartitions } from "../bench/bench-database.ts";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const MINUTE_MS = 60_000;
/** Minutes of each outage of the check, counted from the first stored result. */
const OUTAGES = [
  [100, 110],
  [500, 502],
  [1_000, 1_030],
] as const;

let checkId: string;
/** Instant of the first stored result, Unix ms. */
let firstMs: number;

const dashboard = setUpDashboardTests({
  refusals: [400, 412],
  withDatabase: true,
  withoutRunner: true,
  async prepare() {
    checkId = await createHttpCheck(dashboard, "https://shop.example/", {
      name: "Shop",
      frequencySeconds: 60,
    });
    await createWebhook(dashboard, "https://hooks.example/alert");
    await storeResults(dashboard.databaseUrl, checkId);
  },
});

/** Stores a result a minute of the last 1,200 minutes. */
async function storeResults(databaseUrl: string, id: string): Promise<void> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  firstMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 1_200 * MINUTE_MS;
  await createPartitions({ url: databaseUrl }, firstMs, Date.now());
  const failed = OUTAGES.map(([from, to]) => `n BETWEEN ${from} AND ${to}`).join(" OR ");
  await database.query(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT c.key, l.key, $1 + n * 60000::bigint, 1, 0, 20000, 20000, CASE WHEN ${failed} THEN 2 ELSE 1 END
     FROM checks c, locations l, generate_series(0, 1199) AS n WHERE c.id = $2 AND l.id = 'loc_us_east'`,
    [firstMs, id],
  );
  await database.end();
}

const form = (page: Page) => page.getByRole("form", { name: "Alert rule" });
const preview = (page: Page) => page.getByRole("region", { name: "Preview" });
const count = (page: Page) => form(page).getByRole("spinbutton", { name: "Count" });

describe.runIf(hasBrowser)(`alert rules${BROWSER_ADVICE}`, () => {
  it("are made as sentences, tried on what happened, and stand in the list", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, `${pages.newRule.path}?check=${checkId}`);
    await preview(page)
      .getByText("In the last 7 days this would have fired 3 times, 42 min in all.")
      .waitFor();
    await preview(page).getByRole("img", { name: "Firing: 3 times" }).waitFor();
    const rows = preview(page).getByRole("table", { name: "Would have fired" }).getByRole("row");
    expect(await rows.count()).toBe(4);
    const began = [];
    for (const time of await rows.getByRole("time").all())
      began.push((Date.parse((await time.getAttribute("datetime")) ?? "") - firstMs) / MINUTE_MS);
    // Two failures in a row: the second minute of each outage, the newest first.
    expect(began).toEqual(OUTAGES.map(([from]) => from + 1).reverse());
    await preview(page).getByText("2 failures in a row from US East (Virginia)").first().waitFor();

    await count(page).fill("5");
    await preview(page)
      .getByText(/this would have fired 2 times/)
      .waitFor();
    await form(page).getByRole("button", { name: "Add condition" }).click();
    await form(page)
      .getByRole("group", { name: "Condition 2" })
      .getByRole("combobox", { name: "Type" })
      .selectOption("missed_runs");
    await preview(page)
      .getByText(/at most 2 times/)
      .waitFor();
    await preview(page)
      .getByText(/missed_runs is not counted: a run is missing only until its result comes/)
      .waitFor();
    await form(page).getByRole("button", { name: "Remove condition 2" }).click();

    await form(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("at least one channel").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/rule-new.png`, fullPage: true });
    await form(page)
      .getByRole("checkbox", { name: /webhook/ })
      .check();
    await form(page).getByRole("textbox", { name: "Name" }).fill("Shop is down");
    await form(page).getByRole("button", { name: "Save" }).click();
    const rules = page.getByRole("region", { name: "Alert rules" });
    await rules.getByRole("link", { name: "Shop is down" }).waitFor();
    await rules.getByText("consecutive failures (count 5)").waitFor();
    await page.goto(pages.rules.path);
    await page
      .getByRole("table", { name: "Alert rules" })
      .getByRole("link", { name: "Shop is down" })
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });

  it("say how near they are to firing, are changed over nobody's change, and are deleted", async () => {
    const page = await dashboard.browser.open({ colorScheme: "dark", viewport: { width: 390, height: 800 } });
    await signIn(page, pages.rules.path);
    await page.getByRole("link", { name: "Shop is down" }).click();
    const now = page.getByRole("region", { name: "Now" });
    await now
      .getByText("Missing: 5 failures in a row from one location; the newest run of each succeeded")
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/rule-390.png`, fullPage: true });

    const id = new URL(page.url()).pathname.split("/")[2];
    await dashboard.controlPlane.ok("PUT", `/api/alerts/${id}`, { confirm: true });
    await count(page).fill("3");
    await form(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Overwrite" }).click();
    await page
      .getByRole("table", { name: "Alert rules" })
      .getByText("consecutive failures (count 3)")
      .waitFor();

    await page.getByRole("link", { name: "Shop is down" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("npx svc alerts rules create --help").waitFor();
    await page.context().close();
  });

  it("that an SLO generated are shown, with the SLO that they follow", async () => {
    const { channels } = await dashboard.controlPlane.ok<{ channels: { id: string }[] }>(
      "GET",
      "/api/notification-channels",
    );
    await dashboard.controlPlane.ok("POST", "/api/slos", {
      name: "Shop is up",
      checkId,
      targetBasisPoints: 9_900,
      windowDays: 30,
      channelIds: channels.map(({ id }) => id),
    });
    const page = await dashboard.browser.open();
    await signIn(page, `/checks/${checkId}?tab=alerts`);
    const rules = page.getByRole("region", { name: "Alert rules" });
    await rules
      .getByText(/burn rate/)
      .first()
      .waitFor();
    await rules.getByRole("link").first().click();
    await page.getByRole("region", { name: "Settings" }).getByRole("link", { name: "its SLO" }).waitFor();
    await page.getByRole("list", { name: "Conditions now" }).waitFor();
    expect(await form(page).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });
});
