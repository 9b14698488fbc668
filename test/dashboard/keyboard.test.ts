/** The dashboard by keyboard: the palette, single keys and their list, menus; and the settings that a browser keeps. */
import { pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

let checkId: string;

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  async prepare({ stack }) {
    for (const name of ["Search", "Checkout of the shop", "Zebra <b>\u202e"]) {
      const fields = { name, enabled: false, frequencySeconds: 60 };
      const id = await createHttpCheck(dashboard, stack.target.url, fields);
      if (name.startsWith("Checkout")) checkId = id;
    }
  },
});

const pathOf = (page: Page) => new URL(page.url()).pathname;
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const focused = (page: Page) => page.evaluate<string>(`document.activeElement.textContent`);

describe.runIf(hasBrowser)(`the keyboard${BROWSER_ADVICE}`, () => {
  it("opens a check by some of its name, without a request per key, and gives the focus back", async () => {
    const page = await dashboard.browser.open();
    const known = new Set<string>();
    const asked: string[] = [];
    page.on("request", (request) => known.add(request.url()));
    await signIn(page, pages.changes.path);
    await page.getByRole("table", { name: "Changes" }).waitFor();
    const palette = page.getByRole("dialog", { name: "Command palette" });
    const box = palette.getByRole("combobox", { name: "Search or run a command" });
    await page.keyboard.press("Control+K");
    await box.waitFor();
    const results = palette.getByRole("listbox", { name: "Results" });
    await results.getByRole("option", { name: "Locations" }).waitFor();
    page.removeAllListeners("request");
    page.on("request", (request) => asked.push(request.url()));
    await box.pressSequentially("shop check");
    const option = results.getByRole("option", { name: "Checkout of the shop" });
    await option.waitFor();
    expect(await option.getAttribute("aria-selected")).toBe("true");
    // What the page reads anew meanwhile, it has read before.
    expect(asked.filter((url) => !known.has(url))).toEqual([]);
    await page.keyboard.press("Enter");
    await heading(page, "Checkout of the shop").waitFor();
    expect(pathOf(page)).toBe(pagePath("check", { id: checkId }));

    await page.keyboard.press("p");
    const messages = page.getByRole("region", { name: "Messages" });
    await messages.getByText("Resumed.").waitFor();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await messages.getByRole("button", { name: "Undo" }).click();
    await messages.getByText("Undone.").waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();

    // Chosen lately, so it is the first of all.
    const search = page.getByRole("button", { name: "Search or run a command" });
    await search.focus();
    await page.keyboard.press("Control+K");
    await expect
      .poll(() => results.getByRole("option").first().textContent())
      .toContain("Checkout of the shop");
    await box.fill("no such thing at all");
    await palette.getByText("Nothing is called that.").waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    expect(await focused(page)).toContain("Search or run a command");

    await page.keyboard.press("Control+K");
    await box.fill("ZEBRA");
    expect(await results.getByRole("option").first().textContent()).toContain("Zebra <b>[U+202E]");
    await box.fill("dark theme");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(`document.documentElement.dataset.theme`)).toBe("dark");
    await page.context().close();
  });

  it("goes to pages by two keys, lists them, and ignores single ones when asked to", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    await heading(page, "").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await heading(page, "Checks").waitFor();
    // Never while something is written.
    await page.getByRole("searchbox", { name: "Filter checks" }).fill("");
    await page.keyboard.type("gl?");
    expect([pathOf(page), await page.getByRole("dialog").count()]).toEqual([pages.checks.path, 0]);

    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Changes" }).click();
    await heading(page, "Changes").waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.getByText("g then c", { exact: true }).waitFor();
    await dialog.getByRole("checkbox", { name: "Single keys act" }).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.keyboard.press("?");
    expect([pathOf(page), await dialog.count()]).toEqual([pages.changes.path, 0]);
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog", { name: "Command palette" }).waitFor();
    await page.context().close();
  });

  it("goes through a menu, and out of it again", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    const account = page.getByRole("button", { name: "Account" });
    await account.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("Sign out");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("Your account and settings");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Account");
    expect(await page.getByRole("menuitem").count()).toBe(0);
    await page.context().close();
  });
});

describe.runIf(hasBrowser)(`a page that is older than the service${BROWSER_ADVICE}`, () => {
  it("says that there is a new version, and goes on with the pages that it has", async () => {
    const page = await dashboard.browser.open();
    await signIn(page);
    // The update has removed the files of the other pages.
    await page.route("**/assets/page-*.js", (route) => route.fulfill({ status: 404, body: "" }));
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "Changes" }).click();
    await heading(page, "A new version is there").waitFor();
    await navigation.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("region", { name: "Needs attention" }).waitFor();
    await page.unroute("**/assets/page-*.js");
    await page.goto(pages.changes.path);
    await heading(page, "Changes").waitFor();
    dashboard.browser.problems();
    await page.context().close();
  });
});

describe.runIf(hasBrowser)(`the settings of a browser${BROWSER_ADVICE}`, () => {
  it("hold on every page and after a reload, without another theme before", async () => {
    const page = await dashboard.browser.open({
      locale: "de-DE",
      timezoneId: "America/New_York",
      colorScheme: "light",
    });
    await page.addInitScript(`
      window.grounds = [];
      const note = () => {
        if (document.body) window.grounds.push(getComputedStyle(document.body).backgroundColor);
        if (window.grounds.length < 200) requestAnimationFrame(note);
      };
      note();`);
    await signIn(page, pages.profile.path);
    const zone = page.getByRole("combobox", { name: "Time zone" });
    const time = page.getByRole("table", { name: "Sessions" }).locator("time").first();
    const [instant, local] = [await time.getAttribute("datetime"), await time.textContent()];
    await zone.selectOption("UTC");
    await page.getByRole("radiogroup", { name: "Theme" }).getByRole("radio", { name: "Dark" }).check();
    const inZone = new Intl.DateTimeFormat("de-DE", {
      dateStyle: "medium",
      timeStyle: "medium",
      timeZone: "UTC",
    });
    const shown = inZone.format(new Date(instant as string));
    await expect.poll(() => time.textContent()).toContain(shown);
    expect(local).not.toContain(shown);

    await page.reload();
    await expect.poll(() => time.textContent()).toContain(shown);
    expect(await time.getAttribute("datetime")).toBe(instant);
    await page.getByRole("button", { name: "Time zone: UTC" }).waitFor();
    expect(new Set(await page.evaluate<string[]>(`window.grounds`))).toEqual(new Set(["rgb(15, 18, 22)"]));
    await page.context().close();
  });

  it("are of no harm when the browser holds nonsense", async () => {
    const page = await dashboard.browser.open();
    await page.addInitScript(
      `localStorage.setItem("svc.preferences", '{"timeZone":"Nowhere/City","theme":7,"isDense":"x"}')`,
    );
    await signIn(page, pages.profile.path);
    expect(await page.getByRole("combobox", { name: "Time zone" }).inputValue()).toBe("");
    await page.context().close();
  });

  it("leave the pages reachable on a narrow screen", async () => {
    const page = await dashboard.browser.open();
    await page.setViewportSize({ width: 390, height: 800 });
    await signIn(page);
    expect(await page.getByRole("navigation").count()).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    const dialog = page.getByRole("dialog", { name: "Menu" });
    await dialog.getByRole("link", { name: "Incidents" }).click();
    await heading(page, "Incidents").waitFor();
    expect(await dialog.count()).toBe(0);
    await page.context().close();
  });
});
