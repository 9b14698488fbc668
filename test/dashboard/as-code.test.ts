/** A check as code in the dashboard, and what the pages asked the API for. */
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import {
  createFirstFailureRule,
  createHttpCheck,
  createWebhook,
  setUpDashboardTests,
} from "../harness/dashboard-tests.ts";

const SECRETS = ["s3cret-bearer-token", "s3cret-header-value", "s3cret-hook"];

let checkId: string;
/** Page and route of one record of each kind. */
const records: Record<string, { page: string; route: string }> = {};

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  async prepare() {
    checkId = await createHttpCheck(dashboard, "http://127.0.0.1:9/", {
      name: "Orders",
      frequencySeconds: 3600,
      httpConfig: {
        url: "http://127.0.0.1:9/",
        headers: { "X-Api-Key": SECRETS[1] },
        auth: { type: "bearer", token: SECRETS[0] },
        assertions: [{ type: "status_code", value: 200 }],
      },
    });
    const { ok } = dashboard.controlPlane;
    const channelId = await createWebhook(dashboard, `http://127.0.0.1:9/${SECRETS[2]}`);
    await createFirstFailureRule(dashboard, { checkId, channelId });
    const { alerts } = await ok<{ alerts: { id: string }[] }>("GET", "/api/alerts");
    const { slo } = await ok<{ slo: { id: string } }>("POST", "/api/slos", {
      name: "Orders up",
      checkId,
      targetBasisPoints: 9900,
      windowDays: 30,
      channelIds: [channelId],
    });
    const { maintenanceWindow } = await ok<{ maintenanceWindow: { id: string } }>(
      "POST",
      "/api/maintenance-windows",
      {
        name: "Night",
        checkIds: [checkId],
        startsAt: "2030-01-01T00:00:00Z",
        endsAt: "2030-01-01T02:00:00Z",
      },
    );
    const ruleId = alerts[0]?.id ?? "";
    const windowId = maintenanceWindow.id;
    Object.assign(records, {
      SLO: { page: pagePath("slo", { id: slo.id }), route: `/api/slos/${slo.id}` },
      channel: {
        page: pagePath("channel", { id: channelId }),
        route: `/api/notification-channels/${channelId}`,
      },
      "maintenance window": {
        page: pagePath("editWindow", { id: windowId }),
        route: `/api/maintenance-windows/${windowId}`,
      },
      "alert rule": { page: pagePath("rule", { id: ruleId }), route: `/api/alerts/${ruleId}` },
    });
  },
});

/** Opens a page, and collects what the API answers it. */
async function opened(): Promise<{ page: Page; seen(): Promise<string> }> {
  const page = await dashboard.browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
  const bodies: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/api/") && !response.url().includes("/api/live"))
      bodies.push(response.text().catch(() => ""));
  });
  return { page, seen: async () => [...(await Promise.all(bodies)), await page.content()].join("\n") };
}

describe.runIf(hasBrowser)(`a check as code${BROWSER_ADVICE}`, () => {
  it("is shown with placeholders; no secret reaches the browser", async () => {
    const { page, seen } = await opened();
    await signIn(page, pagePath("check", { id: checkId }));
    await page.getByRole("tab", { name: "As code" }).click();
    const yaml = page.getByRole("textbox", { name: "YAML" });
    await expect.poll(() => yaml.inputValue()).toContain("{{secrets.");
    expect(await yaml.getAttribute("readonly")).not.toBeNull();
    const { files, secrets } = await dashboard.controlPlane.ok<{
      files: { text: string }[];
      secrets: string[];
    }>("GET", `/api/checks/${checkId}/as-code`);
    expect(await yaml.inputValue()).toBe(files[0]?.text);
    const variables = page.getByRole("list", { name: "Variables to set" }).getByRole("listitem");
    expect(await variables.allTextContents()).toEqual(secrets);
    await page.getByRole("tab", { name: "Config" }).click();
    const text = await seen();
    expect(text).toContain("Orders");
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    await page.context().close();
  });

  it("is saved as a file", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, `${pagePath("check", { id: checkId })}?tab=code`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("svc.config.yaml");
    await page.context().close();
  });

  it.each(["SLO", "channel", "maintenance window", "alert rule"])(
    "is there for a record of the kind %s, with placeholders",
    async (kind) => {
      const { page: path, route } = records[kind] ?? { page: "", route: "" };
      const { page, seen } = await opened();
      await signIn(page, path);
      await page.getByRole("tab", { name: "As code" }).click();
      const yaml = page.getByRole("textbox", { name: "YAML" });
      const { files, secrets } = await dashboard.controlPlane.ok<{
        files: { text: string }[];
        secrets: string[];
      }>("GET", `${route}/as-code`);
      await expect.poll(() => yaml.inputValue()).toBe(files[0]?.text);
      expect(await yaml.getAttribute("readonly")).not.toBeNull();
      const variables = page.getByRole("list", { name: "Variables to set" }).getByRole("listitem");
      expect(await variables.allTextContents()).toEqual(secrets);
      await page.getByRole("button", { name: "Copy as YAML" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(files[0]?.text);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download" }).click();
      expect((await saved).suggestedFilename()).toBe("svc.config.yaml");
      await page.reload();
      await yaml.waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      const text = await seen();
      for (const secret of SECRETS) expect(text).not.toContain(secret);
      await page.context().close();
    },
  );

  it("keeps what was typed into the form beside it", async () => {
    const { page } = await opened();
    await signIn(page, records["maintenance window"]?.page ?? "");
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Another night");
    await page.getByRole("tab", { name: "As code" }).click();
    await page.getByRole("textbox", { name: "YAML" }).waitFor();
    await page.getByRole("tab", { name: "Settings" }).click();
    expect(await name.inputValue()).toBe("Another night");
    await page.context().close();
  });

  it("is copied for the selected checks as one config", async () => {
    await createHttpCheck(dashboard, "http://127.0.0.1:9/", { name: "Basket", frequencySeconds: 3600 });
    const { page } = await opened();
    await signIn(page, pagePath("checks", {}));
    await page.getByRole("checkbox", { name: "Select all that are shown" }).check();
    const bar = page.getByRole("toolbar", { name: "2 selected" });
    await bar.getByRole("button", { name: "Copy as YAML" }).click();
    await page.getByText("Copied.").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    for (const part of ["- name: Basket", "- name: Orders", "Orders up", "{{secrets."])
      expect(copied).toContain(part);
    for (const secret of SECRETS) expect(copied).not.toContain(secret);
    await page.context().close();
  });

  it("names the requests of a page as commands, without a credential", async () => {
    const page = await dashboard.browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page, pagePath("check", { id: checkId }));
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const commands = await page.evaluate("navigator.clipboard.readText()");
    expect(commands).toContain(
      `curl -s -H "Authorization: Bearer $SVC_API_KEY" '${dashboard.controlPlane.url}/api/checks/${checkId}?secrets=masked'`,
    );
    await page.context().close();
  });
});
