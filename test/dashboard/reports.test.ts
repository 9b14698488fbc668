/** Monthly reports in the dashboard: the list, a month with gaps, light and dark, narrow, and printed. */
import { newId, pages } from "@svc/contract";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const OCTOBER_MS = Date.UTC(2026, 9, 1);
const DAY_MS = 86_400_000;
const LONG_NAME = "Acheckwithaverylongnamewithoutanyspacethatfitsnowhere".repeat(4);

/** Stores the counts of October 2026: 20 days of three checks, of which nothing was measured on the 12th. */
async function storeOctober(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const {
    rows: [{ id: teamId }],
  } = await client.query("UPDATE teams SET created_at = '2026-03-02' RETURNING id");
  const countedDays = 2 ** 31 - 1 - (2 ** 11 - 1);
  await client.query(
    `INSERT INTO report_months (team_id, month, counted_days, check_count, expected, received, success)
     VALUES ($1, '2026-10', $2, 3, 86400, 80640, 80000)`,
    [teamId, countedDays],
  );
  const checks = [
    ["Home page", ["team:shop", "tier:1"]],
    [LONG_NAME, ["team:shop"]],
    ["Search", []],
  ] as const;
  for (const [i, [name, labels]] of checks.entries()) {
    await client.query("INSERT INTO report_checks VALUES ($1, '2026-10', $2, $3, $4, $5)", [
      teamId,
      1_000 + i,
      newId("check"),
      name,
      labels,
    ]);
    for (let day = 11; day < 31; day++)
      await client.query("INSERT INTO report_days VALUES ($1, $2, $3, 1440, $4, $5, $6, 30, $7)", [
        teamId,
        OCTOBER_MS + day * DAY_MS,
        1_000 + i,
        day === 11 ? 0 : 1_430,
        day === 11 ? 0 : 1_430 - i * 13,
        day % 3,
        day === 11 ? null : { no_runner: 9, runner_capacity: 1 },
      ]);
  }
  for (let day = 11; day < 31; day++)
    await client.query(
      "INSERT INTO report_slo_days VALUES ($1, $2, 1, $3, 'Home page is up', 'Home page', 'availability', 9990, 1430, $4)",
      [teamId, OCTOBER_MS + day * DAY_MS, "slo_01h2xcejqtf2nbrexx3vqjhp41", 1_430 - (day % 2)],
    );
  await client.query(
    `INSERT INTO incidents (id, team_id, title, severity, state, dimensions, fingerprint_hash, hypothesis, observations,
       member_count, open_member_count, opened_at, resolved_at)
     VALUES ($1, $2, 'Home page and 2 more are failing', 'critical', 'resolved', '{}', 'x', 'null', '[]', 0, 0,
       '2026-10-20T10:00:00Z', '2026-10-20T11:30:00Z')`,
    [newId("incident"), teamId],
  );
  await client.end();
}

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  withDatabase: true,
  refusals: [400, 404, 412],
  prepare: ({ databaseUrl }) => storeOctober(databaseUrl),
});

describe.runIf(hasBrowser)(`reports${BROWSER_ADVICE}`, () => {
  it("lead from the list to a month, and say what is missing of it", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.reports.path);
    await page.getByRole("table", { name: "Reports" }).getByText("20 days").waitFor();
    await page.getByRole("link", { name: "October 2026" }).click();
    await page.getByRole("heading", { level: 1, name: "Report of October 2026" }).waitFor();
    const gaps = page.getByRole("note", { name: "Gaps" });
    expect(await gaps.innerText()).toContain("11 days of the month were not counted");
    expect(await gaps.innerText()).toContain("2026-10-01 to 2026-10-11");
    expect(await gaps.innerText()).toContain("On 1 day nothing was measured though slots were due");
    const checks = await page.getByRole("table", { name: "Checks" }).getByRole("row").allInnerTexts();
    expect(checks.map((row) => row.split("\t")[0])).toEqual([
      "Check",
      expect.stringMatching(/^Search\s+deleted$/),
      expect.stringContaining(LONG_NAME),
      expect.stringMatching(/^Home page\s+deleted$/),
    ]);
    const missing = await page.getByRole("table", { name: "Missing slots" }).getByRole("row").allInnerTexts();
    expect(missing.slice(1)).toEqual([
      expect.stringMatching(/^Not recorded: .*\t4,320$/),
      expect.stringMatching(/^No runner was connected .*\t513$/),
      expect.stringMatching(/^The runners of this location were too busy.*\t57$/),
    ]);
    expect(await page.getByRole("table", { name: "SLOs" }).innerText()).toContain("Home page is up");
    expect(await page.getByRole("table", { name: "Labels" }).innerText()).toContain("tier:1");
    await page.getByRole("link", { name: "Home page and 2 more are failing" }).waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
    expect(await page.getByRole("table", { name: "Checks" }).isVisible()).toBe(true);
    await page.context().close();
  });

  it("have recipients that are seen and changed, and not over somebody else's change", async () => {
    const { controlPlane } = dashboard;
    const channels: string[] = [];
    for (let number = 1; number <= 21; number++) {
      const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
        "POST",
        "/api/notification-channels",
        { name: `Mail ${number}.`, channel: { type: "email", addresses: [`m${number}@example.org`] } },
      );
      channels.push(channel.id);
    }
    await createWebhook(dashboard, "http://127.0.0.1:9/hook");
    const stored = async () =>
      (
        await controlPlane.ok<{ reportSubscription: { channelIds: string[] } }>(
          "GET",
          "/api/report-subscription",
        )
      ).reportSubscription.channelIds;
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.reports.path);
    const open = async () => {
      await page.getByRole("link", { name: "Recipients" }).click();
      await page.getByRole("checkbox", { name: "Mail 1.", exact: false }).waitFor();
    };
    await open();
    const form = page.getByRole("form", { name: "Recipients of reports" });
    const box = (number: number) => form.getByRole("checkbox", { name: `Mail ${number}.` });
    const save = () => form.getByRole("button", { name: "Save" }).click();
    expect(await form.getByRole("checkbox").count()).toBe(21);
    for (let number = 1; number <= 21; number++) await box(number).check();
    await save();
    await page.getByRole("alert").filter({ hasText: "Channels" }).waitFor();
    await form.getByRole("group", { name: "Channels" }).getByText("at most 20 channels").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await stored()).toEqual([]);
    for (let number = 3; number <= 21; number++) await box(number).uncheck();
    await save();
    await page.getByRole("table", { name: "Reports" }).waitFor();
    expect(await stored()).toEqual(channels.slice(0, 2));

    await open();
    expect([await box(1).isChecked(), await box(3).isChecked()]).toEqual([true, false]);
    await controlPlane.ok("PUT", "/api/report-subscription", { channelIds: [channels[3]] });
    await box(1).uncheck();
    await save();
    await page.getByRole("dialog", { name: "Changed meanwhile" }).waitFor();
    expect(await stored()).toEqual([channels[3]]);
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("table", { name: "Reports" }).waitFor();
    expect(await stored()).toEqual([channels[1]]);

    await open();
    await box(2).uncheck();
    await save();
    await page.getByRole("table", { name: "Reports" }).waitFor();
    expect(await stored()).toEqual([]);
    await page.context().close();
  });

  it("that there are none of say why", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, "/reports/2026-02");
    await page.getByText("the team was created in 2026-03").waitFor();
    await page.goto("/reports/2999-01");
    await page.getByText("2999-01 has not begun").waitFor();
    await page.goto("/reports/2026-04");
    await page.getByText("No day of April 2026 has been counted.").waitFor();
    await page.context().close();
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["dark", 390],
    ["light", 390],
  ] as const)("are accessible in %s at a width of %i", async (colorScheme, width) => {
    const page = await dashboard.browser.open({ viewport: { width, height: 844 }, colorScheme });
    await signIn(page, pages.reports.path);
    for (const [path, text] of [
      ["/reports", "October 2026"],
      ["/reports/2026-10", "October 2026"],
      ["/reports/recipients", "Make a channel"],
    ] as const) {
      await page.goto(path);
      await page.getByText(text).first().waitFor();
      expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
      expect(await page.evaluate(`document.documentElement.scrollWidth - innerWidth`)).toBe(0);
    }
    await page.context().close();
  });
});
