/** Bodies of a team's own for incident events, written and looked at in the dashboard. */
import { pagePath } from "@svc/contract";
import type { Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createWebhook, setUpDashboardTests } from "../harness/dashboard-tests.ts";

let channelId: string;
const dashboard = setUpDashboardTests({
  withoutRunner: true,
  async prepare() {
    channelId = await createWebhook(dashboard, "http://127.0.0.1:9/s3cret-hook");
  },
});

interface StoredTemplate {
  channel: { incidentTemplate: { overrides: Record<string, { body: string }> } | null };
}
const stored = () =>
  dashboard.controlPlane.ok<StoredTemplate>("GET", `/api/notification-channels/${channelId}`);

describe.runIf(hasBrowser)(`the template of an incident event${BROWSER_ADVICE}`, () => {
  let page: Page;
  const template = () => page.getByRole("group", { name: "Incident template" });
  const body = () => template().getByRole("textbox", { name: "Body" });
  const preview = () => template().getByRole("region", { name: "Preview" });
  const previewed = () => preview().getByRole("region", { name: "Body" });

  beforeAll(async () => {
    if (!hasBrowser) return;
    page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await signIn(page, pagePath("editChannel", { id: channelId }));
    await template().waitFor();
  });

  it("is empty at first, and the preview is the default body with the headers that the service adds", async () => {
    await preview().getByText("An example of the default body").waitFor();
    const { event } = JSON.parse((await previewed().textContent()) ?? "");
    expect(event.eventType).toBe("opened");
    const headers = await preview().getByRole("region", { name: "Headers" }).textContent();
    expect(headers).toContain("Content-Type: application/json");
    expect(await preview().textContent()).not.toContain("s3cret");
  });

  it("is previewed as it is written, with values that are chosen", async () => {
    await template().getByRole("combobox", { name: "Event" }).selectOption("note_added");
    await body().fill('{"note": }');
    await body().press("ArrowLeft");
    await template().getByRole("combobox", { name: "Value to insert" }).selectOption("payload.note.body");
    await template().getByRole("button", { name: "Insert" }).click();
    expect(await body().inputValue()).toBe('{"note": {{jsonBody payload.note.body}} }');
    await preview().getByText("as your template gives it").waitFor();
    expect(await previewed().textContent()).toBe('{"note": "This is a test." }');
    expect(await body().getAttribute("aria-invalid")).toBeNull();
  });

  it("says at the field why it can't be used, and what is sent in its place", async () => {
    await body().fill('{"note": {{payload.note.body}} }');
    await preview().getByText("this default body is sent").waitFor();
    expect(await body().getAttribute("aria-invalid")).toBe("true");
    await template()
      .getByText(/does not render valid JSON/)
      .waitFor();
    expect(JSON.parse((await previewed().textContent()) ?? "").schema_version).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await body().fill("x".repeat(65_537));
    await template().getByText("a body has at most 65536 characters").waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("is saved, and taken away again", async () => {
    await body().fill('{"note": {{jsonBody payload.note.body}} }');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "On-call", exact: true }).waitFor();
    expect((await stored()).channel.incidentTemplate?.overrides).toEqual({
      note_added: { body: '{"note": {{jsonBody payload.note.body}} }' },
    });
    await page.getByRole("link", { name: "Edit" }).click();
    expect(await body().inputValue()).toContain("payload.note.body");
    const event = template().getByRole("combobox", { name: "Event" });
    expect(await event.locator("option:checked").textContent()).toBe("Note added, with a template");
    await body().fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "On-call", exact: true }).waitFor();
    expect((await stored()).channel.incidentTemplate).toBeNull();
    await page.context().close();
  });
});
