/** What a team sets up in the dashboard besides its checks: locations, secrets, API specs and the export of telemetry. */
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({ withoutRunner: true, refusals: [400, 409] });

const box = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
/** Text with characters that pages have to show and not to obey: markup, a change of direction, length. */
const hostile = (name: string) => `${name} </script><b>\u202e${"x".repeat(40)}`;

async function look(page: Page, name: string): Promise<void> {
  expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
  expect([name, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([name, 0]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

describe.runIf(hasBrowser)(`what a team sets up${BROWSER_ADVICE}`, () => {
  it("private locations are made, renamed, and deleted by writing their name", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 390, height: 800 } });
    await signIn(page, pages.locations.path);
    await page.getByRole("link", { name: "New private location" }).click();
    await save(page);
    await page.getByRole("alert").getByText("at least 1 character").waitFor();
    await look(page, "new-location");
    await box(page, "Name").fill("office");
    await page.getByText("More settings").click();
    await box(page, "Display name").fill(hostile("Office"));
    await save(page);
    await page.getByRole("heading", { level: 1, name: /^Office <\/script><b>/ }).waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    await box(page, "Display name").fill("Head office");
    await page.getByText("More settings").click();
    await page.getByRole("spinbutton", { name: "Latitude" }).fill("91");
    await save(page);
    await page.getByRole("alert").getByText("largest is 90").waitFor();
    await page.getByRole("spinbutton", { name: "Latitude" }).fill("52.5");
    await save(page);
    await page.getByRole("heading", { level: 1, name: "Head office" }).waitFor();
    const { locations } = await dashboard.controlPlane.ok<{ locations: object[] }>("GET", "/api/locations");
    expect(locations).toContainEqual(
      expect.objectContaining({ name: "office", displayName: "Head office", latitude: 52.5 }),
    );
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Write its name" }).fill("Head office");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("table", { name: "Locations" }).waitFor();
    expect(await page.getByText("Head office", { exact: true }).count()).toBe(0);
    await page.context().close();
  });

  it("secrets are stored and replaced, and their values are shown and kept nowhere", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.secrets.path);
    await page.getByText("npx svc secrets set").waitFor();
    await page.getByRole("link", { name: "New secret" }).click();
    await box(page, "Name").fill("LOGIN_PASSWORD");
    await box(page, "Value").fill("correct-horse-1");
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")).not.toContain(
      "correct-horse",
    );
    await look(page, "new-secret");
    await save(page);
    await page.getByRole("table", { name: "Team secrets" }).getByText("{{vault.LOGIN_PASSWORD}}").waitFor();
    await page.getByRole("link", { name: "LOGIN_PASSWORD" }).click();
    expect(await box(page, "Value").inputValue()).toBe("");
    await box(page, "Value").fill("correct-horse-2");
    await save(page);
    await page.getByText("Runs have the new value within about a second.").waitFor();
    expect(await page.locator("body").innerText()).not.toContain("correct-horse");
    await page.getByRole("link", { name: "LOGIN_PASSWORD" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("npx svc secrets set").waitFor();
    await page.context().close();
  });

  it("an API spec is pasted, and checks are made of its operations", async () => {
    const page = await dashboard.browser.open({ colorScheme: "dark" });
    await signIn(page, pages.newSpec.path);
    const answers = { responses: { 200: { description: "fine" } } };
    const document = {
      openapi: "3.1.0",
      info: { title: hostile("Shop"), version: "1" },
      servers: [{ url: "https://shop.example" }],
      paths: { "/carts": { get: answers }, "/health": { get: answers, delete: answers } },
    };
    await box(page, "Content").fill(JSON.stringify(document));
    await look(page, "new-spec");
    await save(page);
    await page.getByRole("heading", { level: 1, name: /^Shop <\/script>/ }).waitFor();
    await look(page, "spec");
    await page.getByRole("link", { name: "Generate checks" }).click();
    await page.getByText("The document has 2 operations of these methods").waitFor();
    await page.getByRole("checkbox", { name: /Virginia/ }).check();
    await look(page, "generate");
    await save(page);
    const made = page.getByRole("list", { name: "Checks that were made" }).getByRole("link");
    await made.first().waitFor();
    expect(await made.count()).toBe(2);
    const { checks } = await dashboard.controlPlane.ok<{ checks: object[] }>("GET", "/api/checks");
    expect(checks).toHaveLength(2);
    await page.context().close();
  });

  it("telemetry is set up; header values stay hidden and are kept", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.telemetry.path);
    await page.getByRole("link", { name: "Set up" }).click();
    await box(page, "Endpoint").fill("https://collector.example:4318");
    await page.getByRole("button", { name: "Add header" }).click();
    await box(page, "Name of header 1").fill("x-api-key");
    await box(page, "Value of header 1").fill("tele-secret-1");
    await page.getByRole("checkbox", { name: "Traces" }).check();
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")).not.toContain(
      "tele-secret",
    );
    await look(page, "telemetry");
    await save(page);
    await page.getByText("Headers, their values hidden: x-api-key").waitFor();
    await page.getByRole("link", { name: "Set up" }).click();
    expect(await box(page, "Value of header 1").inputValue()).toBe("***");
    await page.getByRole("checkbox", { name: "Metrics" }).check();
    await save(page);
    await page.getByText("logs, traces, metrics").waitFor();
    const settings = await dashboard.controlPlane.ok("GET", "/api/telemetry");
    expect(settings).toMatchObject({
      headers: { "x-api-key": "***" },
      enabled: true,
      traces: true,
      metrics: true,
    });
    await page.context().close();
  });
});
