/** Alert policies in the dashboard: made by labels, with the checks that they hold for, changed and deleted. */
import { pages } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({
  refusals: [400, 412],
  withoutRunner: true,
  prepare: () => createWebhook(dashboard, "http://127.0.0.1:9/hook"),
});

const label = (id: string, labels: string[]) =>
  dashboard.controlPlane.ok("PUT", `/api/checks/${id}/labels`, { labels });

describe.runIf(hasBrowser)(`alert policies${BROWSER_ADVICE}`, () => {
  it("are made for the checks with their labels, of which the form shows those that get a rule", async () => {
    const shop = await createHttpCheck(dashboard, "http://127.0.0.1:9/shop", { name: "Shop" });
    const plain = await createHttpCheck(dashboard, "", {
      name: "Plain",
      httpConfig: { url: "http://127.0.0.1:9/plain", followRedirects: false },
    });
    await label(shop, ["team:shop"]);
    await label(plain, ["team:shop"]);
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.rules.path);
    await page.getByRole("link", { name: "New alert policy" }).click();
    const form = page.getByRole("form", { name: "Alert policy" });
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "problems" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByRole("textbox", { name: "Name" }).fill("Shop is down");
    const adding = form.getByRole("combobox", { name: "Label to add" });
    await adding.fill("team:shop");
    await adding.press("Enter");
    const held = page.getByRole("region", { name: "Checks it holds for" });
    await held.getByText("2 checks have these labels.").waitFor();
    await form.getByRole("combobox", { name: "Type" }).selectOption("ssl_expiry");
    await held.getByText(/ssl_expiry can never hold here/).waitFor();
    await form.getByRole("combobox", { name: "Type" }).selectOption("consecutive_failures");
    await expect.poll(() => held.getByText(/can never hold/).count()).toBe(0);
    expect(
      await form.getByRole("combobox", { name: "Type" }).getByRole("option", { name: "Burn rate" }).count(),
    ).toBe(0);
    await form.getByRole("checkbox", { name: /webhook/ }).check();
    await form.getByRole("button", { name: "Save" }).click();
    const row = page
      .getByRole("table", { name: "Alert policies" })
      .getByRole("row", { name: /Shop is down/ });
    await row.getByRole("cell", { name: "2", exact: true }).waitFor();
    const { alerts } = await dashboard.controlPlane.ok<{
      alerts: { id: string; name: string; policyId: string }[];
    }>("GET", `/api/checks/${shop}/alerts`);
    expect(alerts.map(({ name }) => name)).toEqual(["Shop is down"]);

    await page.goto(`${pages.rules.path}/${alerts[0]?.id}`);
    await page.getByRole("link", { name: "its alert policy" }).click();
    await page.getByRole("heading", { level: 1, name: "Shop is down" }).waitFor();
    // Somebody else changes it meanwhile.
    await dashboard.controlPlane.ok("PUT", `/api/alert-policies/${alerts[0]?.policyId}`, { confirm: true });
    await form.getByRole("textbox", { name: "Name" }).fill("Shop is broken");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("link", { name: "Shop is broken" }).click();
    await page.getByRole("button", { name: "Remove label team:shop" }).waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("An alert policy is one rule for all checks").waitFor();
    expect(
      (await dashboard.controlPlane.ok<{ alerts: object[] }>("GET", `/api/checks/${shop}/alerts`)).alerts,
    ).toEqual([]);
    await page.context().close();
  });

  it("hold for a check from the moment on that its editor gives it the labels", async () => {
    const id = await createHttpCheck(dashboard, "http://127.0.0.1:9/late", { name: "Late" });
    const { channels } = await dashboard.controlPlane.ok<{ channels: { id: string }[] }>(
      "GET",
      "/api/notification-channels",
    );
    await dashboard.controlPlane.ok("POST", "/api/alert-policies", {
      name: "Late is down",
      labels: ["team:late"],
      conditions: [{ type: "consecutive_failures" }],
      channelIds: [channels[0]?.id],
    });
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.editCheck.path.replace(":id", id));
    const form = page.getByRole("form", { name: "Check" });
    const adding = form.getByRole("combobox", { name: "Label to add" });
    await adding.fill("no label");
    await adding.press("Enter");
    await form.getByText(/a label begins with a letter or digit/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await adding.fill("team:late");
    // What was typed counts as it is left, also without the button beside it.
    await form.getByRole("button", { name: "Save" }).click();
    await form
      .getByRole("button", { name: "Remove label team:late" })
      .or(page.getByRole("tab"))
      .first()
      .waitFor();
    await page.getByRole("heading", { level: 1, name: "Late", exact: true }).waitFor();
    const { alerts } = await dashboard.controlPlane.ok<{ alerts: { name: string }[] }>(
      "GET",
      `/api/checks/${id}/alerts`,
    );
    expect(alerts.map(({ name }) => name)).toEqual(["Late is down"]);
    await page.context().close();
  });
});
