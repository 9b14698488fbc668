/** SLOs, channels and checks are made, changed and deleted in the dashboard; what is wrong stands at its field. */
import { pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

/** Texts that a form must show, keep and send as they are. */
const HOSTILE = `</script><img src=x onerror="window.hacked = true"> \u202eesrever {{vault}}`;

let checkId: string;
let channelId: string;

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  refusals: [400, 404, 409],
  async prepare({ stack }) {
    checkId = await createHttpCheck(dashboard, stack.target.url, { name: "Checkout", enabled: false });
    channelId = await createWebhook(dashboard, stack.target.url);
  },
});

const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
const idOf = (page: Page) => new URL(page.url()).pathname.split("/")[2] ?? "";

/** Presses Delete on a record's page, and again in the dialog that asks. */
async function deleteRecord(page: Page, what: string): Promise<void> {
  await page.getByRole("button", { name: "Delete" }).click();
  await page
    .getByRole("dialog", { name: `Delete this ${what}?` })
    .getByRole("button", { name: "Delete" })
    .click();
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await accessibilityProblems(page)]).toEqual([colorScheme, []]);
  }
}

describe.runIf(hasBrowser)(`records in the dashboard${BROWSER_ADVICE}`, () => {
  it("an SLO is made for a check, changed, and deleted", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.slos.path);
    await page.getByRole("link", { name: "New SLO" }).click();
    const form = page.getByRole("form", { name: "SLO" });
    await save(page);
    await page
      .getByRole("alert")
      .filter({ hasText: "problems" })
      .getByText("required for an SLO of type check")
      .waitFor();
    await expectAccessible(page);
    await form.getByRole("textbox", { name: "Name" }).fill("Checkout works");
    await form.getByRole("combobox", { name: "Check", exact: true }).selectOption({ label: "Checkout" });
    await form.getByRole("combobox", { name: "Window in days" }).selectOption("14");
    await form
      .getByRole("group", { name: "Channels" })
      .getByRole("checkbox", { name: /On-call/ })
      .check();
    await save(page);
    await page.getByRole("heading", { level: 1, name: "Checkout works" }).waitFor();
    const path = `/api/slos/${idOf(page)}`;
    const stored = async () =>
      (await dashboard.controlPlane.ok<{ slo: Record<string, unknown> }>("GET", path)).slo;
    expect(await stored()).toMatchObject({
      checkId,
      windowDays: 14,
      targetBasisPoints: 9_900,
      channelIds: [channelId],
    });

    await page.getByRole("link", { name: "Edit" }).click();
    await form.getByRole("spinbutton", { name: "Target basis points" }).fill("9950");
    await save(page);
    await page
      .getByText(/99\.50/)
      .first()
      .waitFor();
    expect(await stored()).toMatchObject({ targetBasisPoints: 9_950, windowDays: 14 });
    await deleteRecord(page, "SLO");
    await page.getByRole("heading", { level: 1, name: "SLOs" }).waitFor();
    expect((await dashboard.controlPlane.call("GET", path)).status).toBe(404);
    await page.context().close();
  });

  it("a channel is made of any type; its secrets stay unless somebody writes others; one in use is not deleted", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.newChannel.path);
    const form = page.getByRole("form", { name: "Channel" });
    await form.getByRole("textbox", { name: "Name" }).fill(HOSTILE);
    await form.getByRole("combobox", { name: "Type" }).selectOption("email");
    await form.getByRole("combobox", { name: "Type" }).selectOption("webhook");
    await form.getByRole("textbox", { name: "URL" }).fill("nonsense");
    await save(page);
    await page.getByRole("alert").filter({ hasText: "problems" }).waitFor();
    await expectAccessible(page);
    await form.getByRole("textbox", { name: "URL" }).fill("https://example.com/hooks/s3cret-path");
    await save(page);
    await page.getByRole("button", { name: "Send a test" }).waitFor();
    const path = `/api/notification-channels/${idOf(page)}`;
    const stored = async () =>
      (await dashboard.controlPlane.ok<{ channel: { name: string; config: object } }>("GET", path)).channel;
    expect(await stored()).toMatchObject({
      name: HOSTILE,
      config: { url: "https://example.com/hooks/s3cret-path" },
    });
    expect(await page.evaluate("window.hacked")).toBeUndefined();

    await page.getByRole("link", { name: "Edit" }).click();
    expect(await form.getByRole("textbox", { name: "URL" }).inputValue()).not.toContain("s3cret");
    await form.getByRole("textbox", { name: "Name" }).fill("Renamed");
    await save(page);
    await page.getByRole("heading", { level: 1, name: "Renamed" }).waitFor();
    expect(await stored()).toMatchObject({
      name: "Renamed",
      config: { url: "https://example.com/hooks/s3cret-path" },
    });
    await deleteRecord(page, "channel");
    await page.getByRole("heading", { level: 1, name: "Channels" }).waitFor();

    await dashboard.controlPlane.ok("POST", `/api/checks/${checkId}/alerts`, {
      name: "It fails",
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [channelId],
    });
    await page.goto(pagePath("channel", { id: channelId }));
    await deleteRecord(page, "channel");
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText(/is used by/)
      .waitFor();
    await page.context().close();
  });

  it("a maintenance window is built from days and times, shows when it occurs next, and is changed", async () => {
    const page = await dashboard.browser.open({ timezoneId: "Europe/Berlin", locale: "en-GB" });
    await signIn(page, pages.maintenance.path);
    await page.getByRole("link", { name: "New maintenance window" }).click();
    const form = page.getByRole("form", { name: "Maintenance window" });
    await save(page);
    await page.getByRole("alert").filter({ hasText: "problems" }).waitFor();
    await expectAccessible(page);
    await form.getByRole("textbox", { name: "Name" }).fill("Night work");
    await form.getByLabel("Starts at").fill("2027-03-25T02:30");
    await form.getByLabel("Ends at").fill("2027-03-25T04:00");
    await form.getByRole("combobox", { name: "How often" }).selectOption("daily");
    await form.getByText("Repeats every day, in the window's time zone.").waitFor();
    const occurrences = page.getByRole("list", { name: "Next occurrences" }).getByRole("listitem");
    await expect.poll(() => occurrences.count()).toBe(10);
    const texts = await occurrences.allTextContents();
    expect(texts[0]).toMatch(/02:30.*(GMT|UTC)\+1/);
    expect(texts[5]).toMatch(/02:30.*(GMT|UTC)\+2/);
    await save(page);
    await page.getByRole("link", { name: "Night work" }).click();
    await form.getByRole("combobox", { name: "How often" }).selectOption("weekly");
    await form.getByRole("checkbox", { name: "Sunday" }).check();
    await form.getByText("Repeats every week on Sunday").waitFor();
    await form.getByRole("radio", { name: "Some checks" }).check();
    await form.getByRole("checkbox", { name: "Checkout" }).check();
    await save(page);
    await page.getByRole("heading", { level: 1, name: "Maintenance" }).waitFor();
    const { maintenanceWindows } = await dashboard.controlPlane.ok<{ maintenanceWindows: object[] }>(
      "GET",
      "/api/maintenance-windows",
    );
    expect(maintenanceWindows).toMatchObject([
      {
        name: "Night work",
        startsAt: "2027-03-25T01:30:00.000Z",
        recurrenceRule: "FREQ=WEEKLY;BYDAY=SU",
        checkIds: [checkId],
        timezone: "Europe/Berlin",
      },
    ]);
    await page.getByRole("link", { name: "Night work" }).click();
    await deleteRecord(page, "maintenance window");
    await page.getByRole("heading", { level: 1, name: "Maintenance" }).waitFor();
    await page.context().close();
  });

  it("a check is deleted once its name was written", async () => {
    const name = "Old one";
    const id = await createHttpCheck(dashboard, dashboard.stack.target.url, { name, enabled: false });
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("check", { id }));
    await page.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete this check?" });
    expect(await question.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await question.getByRole("textbox", { name: "Write its name" }).fill(name);
    await question.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { level: 1, name: "Checks" }).waitFor();
    expect((await dashboard.controlPlane.call("GET", `/api/checks/${id}`)).status).toBe(404);
    await page.context().close();
  });
});
