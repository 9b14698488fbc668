/** The editor of checks begun with another check, or with values from before a change: nothing is stored before a save. */
import { pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const dashboard = setUpDashboardTests({ withoutRunner: true, refusals: [400, 404, 412] });

const URL_OF_TARGET = "http://127.0.0.1:9/";
const box = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const checkOf = async (id: string) =>
  (await dashboard.controlPlane.ok<{ check: Record<string, unknown> }>("GET", `/api/checks/${id}`)).check;
const put = (id: string, body: object) => dashboard.controlPlane.ok("PUT", `/api/checks/${id}`, body);

async function look(page: Page, name: string): Promise<void> {
  expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
  expect([name, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([name, 0]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

describe.runIf(hasBrowser)(`a check's editor${BROWSER_ADVICE}`, () => {
  it("begins with another check, whose secrets have to be given anew", async () => {
    const id = await createHttpCheck(dashboard, URL_OF_TARGET, {
      name: "Shop",
      frequencySeconds: 3600,
      httpConfig: {
        url: URL_OF_TARGET,
        headers: { "X-Key": "hush-hush", accept: "text/html" },
        assertions: [{ type: "status_code", value: 201 }],
      },
    });
    await dashboard.controlPlane.ok("PUT", `/api/checks/${id}/labels`, { labels: ["team:a"] });
    const page = await dashboard.browser.open();
    await signIn(page, pages.checks.path);
    await page.getByRole("button", { name: "Actions for Shop" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await heading(page, "Duplicate Shop").waitFor();
    await page.getByText("its labels team:a included").waitFor();
    await page.getByText("httpConfig.headers.X-Key").waitFor();
    await look(page, "duplicate-wide");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await look(page, "duplicate-narrow");
    expect(await box(page, "Name").inputValue()).toBe("Shop (copy)");
    await save(page);
    await page
      .getByRole("alert")
      .getByText(/give its secret anew/)
      .waitFor();
    const secret = box(page, "Value of header 1");
    expect(await secret.inputValue()).toBe("");
    await secret.fill("another-one");
    await save(page);
    await heading(page, "Shop (copy)").waitFor();
    const copyId = new URL(page.url()).pathname.split("/").at(-1) as string;
    expect(copyId).not.toBe(id);
    expect(await checkOf(copyId)).toMatchObject({
      frequencySeconds: 3600,
      configJson: { headers: { "X-Key": "another-one", accept: "text/html" }, assertions: [{ value: 201 }] },
    });
    const { labels } = await dashboard.controlPlane.ok<{ labels: string[] }>(
      "GET",
      `/api/checks/${copyId}/labels`,
    );
    expect(labels).toEqual(["team:a"]);
    expect(await page.getByRole("link", { name: "Duplicate" }).getAttribute("href")).toBe(
      `/checks/new?from=${copyId}`,
    );
    await page.goto("/checks/new?from=chk_01h455vb4pex5vsknk084sn02q");
    await heading(page, "Check not found").waitFor();
    await page.context().close();
  });

  it("begins with the values from before a change, and stores them by a save alone, over nobody's work", async () => {
    const id = await createHttpCheck(dashboard, URL_OF_TARGET, {
      name: "First",
      frequencySeconds: 3600,
      httpConfig: { url: URL_OF_TARGET, headers: { "X-Key": "kept-secret" }, assertions: [] },
    });
    await put(id, { name: "Second", frequencySeconds: 1800 });
    await put(id, {
      name: "Third",
      configJson: { url: URL_OF_TARGET, headers: { "X-Key": "new-secret" }, assertions: [], timeoutMs: 5000 },
    });
    const page = await dashboard.browser.open();
    await signIn(page, `${pagePath("check", { id })}?tab=config`);
    const table = page.getByRole("table", { name: "Changes of this check" });
    // The newest is first; the last one made the check and has nothing before it.
    const links = table.getByRole("link", { name: "Restore values from before this" });
    await links.first().waitFor();
    expect(await links.count()).toBe(2);
    await links.last().click();
    await heading(page, "Edit Third").waitFor();
    const note = page.getByRole("status").filter({ hasText: "The form has the values from before" });
    await note.waitFor();
    expect(await note.innerText()).toMatch(
      /Nothing is stored until you save.*configJson\.headers\.X-Key: masked/s,
    );
    expect(await box(page, "Name").inputValue()).toBe("First");
    await look(page, "restore-wide");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    await look(page, "restore-narrow");
    expect(await checkOf(id)).toMatchObject({ name: "Third" });
    await put(id, { enabled: false });
    await save(page);
    const dialog = page.getByRole("dialog", { name: "Changed meanwhile" });
    await dialog.waitFor();
    expect(await checkOf(id)).toMatchObject({ name: "Third" });
    await dialog.getByRole("button", { name: "Overwrite" }).click();
    await heading(page, "First").waitFor();
    const restored = await checkOf(id);
    expect(restored).toMatchObject({
      name: "First",
      frequencySeconds: 3600,
      configJson: { headers: { "X-Key": "new-secret" } },
    });
    expect(restored.configJson).not.toMatchObject({ timeoutMs: 5000 });
    await page.goto(`${pagePath("editCheck", { id })}?before=chg_gone`);
    await page.getByText("the form has the check as it is now").waitFor();
    expect(await box(page, "Name").inputValue()).toBe("First");
    await page.context().close();
  });
});
