/** What people do in the list of checks: narrow it down, group it, change several checks at once and take that back, by keys, too. */
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const ids = new Map<string, string>();

async function createCheck(name: string, fields: object = {}): Promise<void> {
  const url = dashboard.stack.target.url;
  ids.set(name, await createHttpCheck(dashboard, url, { name, frequencySeconds: 60, ...fields }));
}

const dashboard = setUpDashboardTests({
  refusals: [400],
  async prepare() {
    await createCheck("Alpha", { locations: ["loc_us_east", "loc_eu_central"] });
    await createCheck("Beta");
    await createCheck("=cmd|gamma", { frequencySeconds: 300 });
    await createCheck("Broken", {
      httpConfig: { url: dashboard.stack.target.url, assertions: [{ type: "status_code", value: 404 }] },
    });
    await dashboard.controlPlane.ok("PUT", `/api/checks/${ids.get("Beta")}/labels`, { labels: ["team:b"] });
  },
});

const table = (page: Page) => page.getByRole("table", { name: "Checks" });
const namesOf = async (page: Page) => (await table(page).locator("td a").allTextContents()).sort();
const isEnabled = async (name: string) =>
  (await dashboard.controlPlane.ok<{ check: { enabled: boolean } }>("GET", `/api/checks/${ids.get(name)}`))
    .check.enabled;
const select = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}` }).check();
const messages = (page: Page) => page.getByRole("region", { name: "Messages" });

describe.runIf(hasBrowser)(`the list of checks${BROWSER_ADVICE}`, () => {
  it("is narrowed down by menus with counts, and grouped; the address carries both", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.checks.path);
    await page.getByText("4 checks").waitFor();
    await page.getByRole("button", { name: "Label" }).click();
    await page.getByRole("menuitemcheckbox", { name: "team:b (1)" }).click();
    await page.getByText("1 of 4 checks").waitFor();
    expect(new URL(page.url()).search).toContain("team%3Ab");
    await page.reload();
    await page.getByText("1 of 4 checks").waitFor();
    await page.getByRole("searchbox", { name: "Filter checks" }).fill("");

    await page.getByRole("combobox", { name: "Group by" }).selectOption("Location");
    await expect.poll(() => namesOf(page)).toEqual(["=cmd|gamma", "Alpha", "Alpha", "Beta", "Broken"]);
    await page.getByText("1 check, 1 healthy, 0 failing").waitFor();
    await page.getByText("4 checks, 3 healthy, 1 failing").waitFor();

    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Alerts" }).click();
    await expect.poll(() => table(page).getByRole("columnheader", { name: "Alerts" }).count()).toBe(0);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    expect((await download).suggestedFilename()).toBe("checks.csv");
    await page.context().close();
  });

  it("opens the result whose mark is pressed", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, `${pages.checks.path}?q=is:failing`);
    await page.getByText("1 of 4 checks").waitFor();
    await table(page).locator("rect.failing").last().click();
    await page.getByRole("region", { name: "Why it failed" }).waitFor();
    expect(page.url()).toContain(`/checks/${ids.get("Broken")}/results/`);
    await page.context().close();
  });

  it("pauses several checks after a question, and resumes those that it had paused", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.checks.path);
    for (const name of ["Alpha", "Beta", "=cmd|gamma"]) await select(page, name);
    await page.getByRole("toolbar", { name: "3 selected" }).getByRole("button", { name: "Pause" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause: 3 checks" });
    await dialog.getByText("=cmd|gamma").waitFor();
    await dialog.getByRole("button", { name: "Pause" }).click();
    await messages(page).getByText("3 checks paused.").waitFor();
    expect(await Promise.all(["Alpha", "Beta", "=cmd|gamma", "Broken"].map(isEnabled))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(await page.getByRole("toolbar").count()).toBe(0);
    await messages(page).getByRole("button", { name: "Undo" }).click();
    await messages(page).getByText("Undone.").waitFor();
    expect(await Promise.all(["Alpha", "Beta", "=cmd|gamma"].map(isEnabled))).toEqual([true, true, true]);
    await page.context().close();
  });

  it("says what was refused, and keeps the question open when its answer makes no sense", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.checks.path);
    await select(page, "Beta");
    await page.getByRole("button", { name: "Add label" }).click();
    const dialog = page.getByRole("dialog", { name: "Add label: 1 check" });
    await dialog.getByRole("textbox").fill("-wrong");
    await dialog.getByRole("button", { name: "Add label" }).click();
    await dialog.getByRole("alert").getByText("begins with a letter").waitFor();
    await dialog.getByRole("textbox").fill("nightly");
    await dialog.getByRole("button", { name: "Add label" }).click();
    await messages(page).getByText("1 check labelled.").waitFor();

    await select(page, "Beta");
    await page.getByRole("button", { name: "Set locations" }).click();
    const locations = page.getByRole("dialog", { name: "Set locations: 1 check" });
    await locations.getByRole("checkbox", { checked: true }).uncheck();
    await locations.getByRole("button", { name: "Set locations" }).click();
    await locations.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await page.context().close();
  });

  it("is gone through and selected by keys, and deletes several only when their number is typed", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, `${pages.checks.path}?sort=name&q=old`);
    await page.getByText("0 of 4 checks").waitFor();
    await createCheck("Old 1");
    await createCheck("Old 2");
    await page.getByText("2 of 6 checks").waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Old 1");
    await page.keyboard.press("x");
    await page.getByRole("toolbar", { name: "1 selected" }).waitFor();
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Old 2");
    await page.keyboard.press("X");
    await page.getByRole("toolbar", { name: "2 selected" }).getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete: 2 checks" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("textbox", { name: "Type 2 to delete them" }).fill("2");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await messages(page).getByText("2 checks deleted.").waitFor();
    await page.getByText("0 of 4 checks").waitFor();
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.context().close();
  });
});
