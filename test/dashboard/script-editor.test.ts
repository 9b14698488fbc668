/** Writing the script of a browser check: an editor of code under the page's policy, with its steps and what can be written next. */
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { until } from "../harness/wait.ts";

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  expected: [/console: Failed to load resource: net::ERR_FAILED/],
});

/** What is offered accepts no key for 75 ms, so that nobody accepts what came while they wrote: CodeMirror's `interactionDelay`. */
const ACCEPTED_AFTER_MS = 100;

const form = (page: Page) => page.getByRole("form", { name: "Check" });
const script = (page: Page) => form(page).getByRole("textbox", { name: "Script" });

/** True while the focus is in the editor. */
const isEditing = (page: Page) => page.evaluate("document.activeElement?.shadowRoot?.activeElement != null");

async function openScripted(): Promise<Page> {
  const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
  await signIn(page, pages.newCheck.path);
  await form(page).getByRole("combobox", { name: "Type" }).first().selectOption("browser");
  await form(page).getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
  await form(page).locator(".cm-content").waitFor();
  return page;
}

describe.runIf(hasBrowser)(`the editor of scripts${BROWSER_ADVICE}`, () => {
  it("lists the steps that are written, leads to them, and saves the very text", async () => {
    const page = await openScripted();
    const text =
      'await page.goto("https://shop.example");\n// @step: Log in\nawait page.click("a");\n// @step: Pay <b>\n';
    await script(page).fill(text);
    const steps = form(page).getByRole("list", { name: "Steps" });
    await steps.getByRole("button", { name: "Pay <b>" }).click();
    await page.keyboard.type("await page.title();\n");
    expect(await steps.getByRole("listitem").allTextContents()).toEqual(["Log in", "Pay <b>"]);
    await form(page).getByRole("textbox", { name: "Name", exact: true }).fill("Buys");
    await form(page)
      .getByRole("checkbox", { name: /Virginia/ })
      .check();
    await form(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Buys" }).waitFor();
    const { checks } = await dashboard.controlPlane.ok<{ checks: { configJson: { script: string } }[] }>(
      "GET",
      "/api/checks",
    );
    expect(checks[0]?.configJson.script).toBe(
      text.replace("// @step: Pay <b>", "await page.title();\n// @step: Pay <b>"),
    );
    await page.context().close();
  });

  it("offers no script in words where the service has no language model", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    const meta = page.waitForResponse(/\/api\/meta$/);
    await signIn(page, pages.newCheck.path);
    await form(page).getByRole("combobox", { name: "Type" }).first().selectOption("browser");
    await form(page).getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
    expect(await (await meta).json()).toMatchObject({ configured: { generation: false } });
    await script(page).fill("await 1;");
    expect(await form(page).getByText("Describe it").count()).toBe(0);
    await page.context().close();
  });

  it("takes keys before the editor of code is loaded, which goes on where the cursor is", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    let load = () => {};
    const mayLoad = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/code-view.*\.js$/, async (route) => {
      await mayLoad;
      await route.continue();
    });
    await signIn(page, pages.newCheck.path);
    await form(page).getByRole("combobox", { name: "Type" }).first().selectOption("browser");
    await form(page).getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
    await script(page).fill("// @step: One\n// @step: Two\n");
    await form(page).getByRole("list", { name: "Steps" }).getByRole("button", { name: "Two" }).click();
    await page.keyboard.type("await 1;");
    expect(await isEditing(page)).toBe(false);
    load();
    await form(page).locator(".cm-content").waitFor();
    await expect.poll(() => isEditing(page)).toBe(true);
    await page.keyboard.type("\n");
    const written = await form(page).locator(".cm-line").allInnerTexts();
    expect(written.map((line) => line.trim())).toEqual(["// @step: One", "await 1;", "// @step: Two", ""]);
    await page.context().close();
  });

  it("is written in a plain field where the editor of code can't be loaded", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
    await page.route(/code-view.*\.js$/, (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await signIn(page, pages.newCheck.path);
    await form(page).getByRole("combobox", { name: "Type" }).first().selectOption("browser");
    await form(page).getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
    await script(page).fill("");
    await failed;
    await form(page).getByRole("button", { name: "Save" }).click();
    const problems = page.getByRole("alert").filter({ hasText: "problems" });
    await problems.getByRole("button", { name: "Script" }).click();
    await page.keyboard.type("await 1;");
    expect(await script(page).inputValue()).toBe("await 1;");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });

  it("offers what can be written next, and is a field among others: its keys are no shortcuts, and Tab leaves it", async () => {
    const page = await openScripted();
    const offered = page.getByRole("listbox", { name: "Completions" });
    // The editor takes Enter for a line break while a list is new, which a busy machine may show again at any moment.
    await until("Enter accepts what is offered", async () => {
      await script(page).fill("");
      await page.keyboard.type("await page.getByRo");
      await offered.getByRole("option", { name: /^getByRole/ }).waitFor();
      await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${ACCEPTED_AFTER_MS}))`);
      await page.keyboard.press("Enter");
      return (await script(page).innerText()).includes("page.getByRole");
    });
    await page.keyboard.type('("button").first().c');
    // A list that a busy machine closed comes back with the next key.
    await until("methods of a locator are offered", async () => {
      await page.keyboard.type("l");
      const click = offered.getByRole("option", { name: /^click/ });
      if (
        await click.waitFor({ timeout: 10_000 }).then(
          () => true,
          () => false,
        )
      )
        return true;
      await page.keyboard.press("Backspace");
      return false;
    });
    await page.keyboard.press("Escape");
    await page.keyboard.type(" g c ?");
    expect(await script(page).innerText()).toContain('page.getByRole("button").first().cl g c ?');
    expect(new URL(page.url()).pathname).toBe(pages.newCheck.path);
    await page.keyboard.press("Tab");
    expect(await isEditing(page)).toBe(false);
    await page.context().close();
  });

  it("has no violations of accessibility in both themes, also with a problem shown", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await openScripted();
      await page.emulateMedia({ colorScheme });
      await script(page).fill("");
      await form(page).getByRole("button", { name: "Save" }).click();
      const problems = page.getByRole("alert").filter({ hasText: "problems" });
      await problems.waitFor();
      expect(await script(page).getAttribute("aria-description")).toMatch(/\w/);
      await problems.getByRole("button", { name: "Script" }).click();
      expect(await isEditing(page)).toBe(true);
      await script(page).fill('// @step: One\nconst a = 1;\nawait page.goto("https://a.example"); // away\n');
      expect(await accessibilityProblems(page)).toEqual([]);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        if (process.env.SHOTS)
          await page.screenshot({
            path: `${process.env.SHOTS}/script-${colorScheme}-${width}.png`,
            fullPage: true,
          });
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      }
      await page.context().close();
    }
  });
});
