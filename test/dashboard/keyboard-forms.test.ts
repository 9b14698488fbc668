/** Forms without a mouse. */
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  prepare: () => createWebhook(dashboard, "http://127.0.0.1:9/hook"),
});

/** Number of keys within which anything on a page is reached. */
const TABS_MAX = 120;
/** Presses Tab until a control of this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let i = 0; i < TABS_MAX; i++) {
    await page.keyboard.press("Tab");
    const label = await page.evaluate<string>(`(() => {
      const element = document.activeElement;
      const label = element.labels?.[0]?.textContent ?? element.getAttribute("aria-label") ?? element.textContent;
      return (label ?? "").trim();
    })()`);
    if (name.test(label)) return;
    seen.push(label.slice(0, 30));
  }
  throw new Error(`no control ${name} within ${TABS_MAX} tabs: ${seen.join(" | ")}`);
}

describe.runIf(hasBrowser)(`forms${BROWSER_ADVICE}`, () => {
  it("make a check with two assertions and an alert rule by keyboard alone", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pages.newCheck.path);
    await page.getByRole("form", { name: "Check" }).waitFor();
    await tabTo(page, /^URL$/);
    await page.keyboard.type("http://127.0.0.1:9/shop");
    await tabTo(page, /^Add assertion$/);
    await page.keyboard.press("Enter");
    const second = page.getByRole("group", { name: "Assertion 2" });
    await second.waitFor();
    const type = second.getByRole("combobox", { name: "Type" }).and(page.locator(":focus"));
    for (let i = 0; i < TABS_MAX && (await type.count()) === 0; i++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.type("Response time");
    await tabTo(page, /^Max/);
    await page.keyboard.type("800");
    await tabTo(page, /Virginia/);
    await page.keyboard.press("Space");
    await tabTo(page, /^Save$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "127.0.0.1:9/shop" }).waitFor();
    const { checks } = await dashboard.controlPlane.ok<{
      checks: { id: string; configJson: { assertions: object[] } }[];
    }>("GET", "/api/checks");
    expect(checks[0]?.configJson.assertions).toMatchObject([
      { type: "status_code", value: 200 },
      { type: "response_time", max: 800 },
    ]);

    await page.goto(`${pages.newRule.path}?check=${checks[0]?.id}`);
    await page.getByRole("form", { name: "Alert rule" }).waitFor();
    await tabTo(page, /webhook/);
    await page.keyboard.press("Space");
    await tabTo(page, /^Save$/);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Alert rules" }).waitFor();
    const { alerts } = await dashboard.controlPlane.ok<{ alerts: object[] }>("GET", "/api/alerts");
    expect(alerts).toHaveLength(1);
    await page.context().close();
  });
});
