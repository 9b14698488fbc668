/** The capacity of a location in the dashboard: what its checks take of its runners, and what a change would do to that. */
import { pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { until } from "../harness/wait.ts";

/**
 * Runs every 10 s that fill the one place of the test's runner to 90 %: each holds it for half a second, whether what they take is
 * the typical 0.5 s or, once an hour has ended, the measured 1 s.
 */
const CHECKS = 18;

let office = "";
const dashboard = setUpDashboardTests({
  withoutRunner: true,
  prepare: async ({ controlPlane, stack }) => {
    const { location } = await controlPlane.ok<{ location: { id: string } }>("POST", "/api/locations", {
      name: "office",
      displayName: "Office",
    });
    office = location.id;
    stack.target.delayBy(1_000);
    const { key } = await controlPlane.ok<{ key: { secret: string } }>(
      "POST",
      `/api/locations/${office}/keys`,
    );
    stack.runner({
      key: key.secret,
      port: controlPlane.runnerPort,
      environment: { SVC_RUNNER_MAX_IN_FLIGHT: "1" },
    });
    await controlPlane.ok("POST", "/api/locations", { name: "annex", displayName: "Annex" });
    for (let i = 0; i < CHECKS; i++)
      await createHttpCheck({ controlPlane }, stack.target.url, { name: `Page ${i}`, locations: [office] });
    await until("the runner's places are counted", async () => {
      const { runners, shareBasisPoints } = await capacityOfOffice(controlPlane);
      return runners === 1 && shareBasisPoints === 9_000;
    });
  },
});

async function capacityOfOffice(controlPlane: typeof dashboard.controlPlane) {
  const { locations } = await controlPlane.ok<{ locations: Record<string, unknown>[] }>(
    "GET",
    "/api/capacity",
  );
  const found = locations.find(({ locationId }) => locationId === office);
  return { runners: found?.runners, shareBasisPoints: found?.shareBasisPoints };
}

const WARNING = /^Office: 90 % of what 1 runner can do is taken; above 80 %/;

async function shot(page: Page, name: string): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

describe.runIf(hasBrowser)(`the capacity of a location${BROWSER_ADVICE}`, () => {
  it("is shown in words and as a meter, with the checks that take most, and asks for attention", async () => {
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      const page = await dashboard.browser.open({ viewport: { width, height: 900 }, colorScheme });
      await signIn(page, pages.locations.path);
      await page.getByText(WARNING).waitFor();
      const row = page.getByRole("row").filter({ hasText: "Office" });
      const meter = row.getByRole("meter", { name: "Taken of the runners of Office" });
      expect(await meter.getAttribute("aria-valuenow")).toBe("0.9");
      expect(await row.innerText()).toMatch(/6,480\s+90 % of 1 runner/);
      await page.getByRole("row").filter({ hasText: "Annex" }).getByText("no runner is connected").waitFor();
      await shot(page, `locations-${width}`);

      await page.goto(dashboard.controlPlane.url + pagePath("location", { id: office }));
      const capacity = page.getByRole("region", { name: "Capacity" });
      await capacity.getByText(WARNING).waitFor();
      await capacity.getByText("6,480 runs an hour.").waitFor();
      const rows = capacity.getByRole("table", { name: "Checks that take most" }).getByRole("row");
      expect(await rows.count()).toBe(11);
      expect(await rows.nth(1).innerText()).toMatch(/Page 0.*360.*5\.00 %/s);
      await shot(page, `location-${width}`);

      await page.goto(dashboard.controlPlane.url + pages.overview.path);
      const item = page.getByRole("listitem").filter({ hasText: "more than 80 % is taken" });
      expect(await item.getByRole("link").getAttribute("href")).toBe(pagePath("location", { id: office }));
      await page.context().close();
    }
  });

  it("is shown by the editor of a check before it is saved, and asked for once the schedule rests", async () => {
    const page = await dashboard.browser.open();
    const asked: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/capacity/preview")) asked.push(request.postDataJSON());
    });
    await signIn(page, pages.newCheck.path);
    const form = page.getByRole("form", { name: "Check" });
    const hint = form.getByRole("status", { name: "Capacity of the locations" });
    await form.getByRole("textbox", { name: "URL", exact: true }).pressSequentially("http://127.0.0.1:9/");
    const locations = form.getByRole("group", { name: "Locations" });
    await locations.getByRole("checkbox", { name: /Annex/ }).check();
    await hint.getByText("Annex: 0 -> 12 runs an hour, no runner is connected").waitFor();
    await locations.getByRole("checkbox", { name: /Office/ }).check();
    await form.getByRole("spinbutton", { name: "Frequency in seconds" }).fill("10");
    await hint.getByText(/^Office: 95 % of what 1 runner can do would be taken/).waitFor();
    expect(asked.length).toBeLessThanOrEqual(3);
    await shot(page, "check-editor");
    await page.context().close();
  });

  it("is shown by a published plan as the command line printed it", async () => {
    const figures = { runners: 2, runsPerHour: 1_240, browserSecondsPerHour: 0, reason: null };
    const { plan } = await dashboard.controlPlane.ok<{ plan: { id: string } }>("POST", "/api/plans", {
      project: "shop",
      changes: [],
      summary: { create: 0, update: 0, delete: 0, unchanged: 1 },
      capacity: [
        {
          locationId: "loc_x",
          name: "</script>Frankfurt",
          before: { ...figures, shareBasisPoints: 1_200 },
          after: { ...figures, runsPerHour: 2_480, browserSecondsPerHour: 310, shareBasisPoints: 8_400 },
        },
      ],
    });
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("plan", { id: plan.id }));
    const text = await page.getByRole("list", { name: "Capacity of the locations" }).innerText();
    expect(text).toContain(
      "</script>Frankfurt: 1,240 -> 2,480 runs an hour, 0 -> 310 browser seconds an hour, 12 % -> 84 % of 2 runners",
    );
    expect(text).toContain("84 % of what 2 runners can do would be taken");
    await shot(page, "plan-capacity");
    await page.context().close();
  });
});
