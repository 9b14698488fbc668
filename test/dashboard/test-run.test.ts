/** Trying a check while it is written: what it finds, what can be made of that, and that nothing else hears of it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser, hasSandbox, SANDBOX_ADVICE } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";

let target = "";
/** Ends the requests of /slow that wait. */
let answerSlow = () => {};
const dashboard = setUpDashboardTests({
  prepare: async ({ stack }) => {
    const waiting = new Set<() => void>();
    answerSlow = () => {
      for (const answer of waiting) answer();
      waiting.clear();
    };
    const server = createServer((request, response) => {
      if (request.url === "/slow") return waiting.add(() => response.end());
      response.writeHead(500, { "content-type": "application/json", "x-shop": "</script>" });
      response.end(JSON.stringify({ error: "</script>\u202e", items: [{ price: 12 }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stack.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
});

const form = (page: Page) => page.getByRole("form", { name: "Check" });
const panel = (page: Page) => page.getByRole("complementary", { name: "Test run" });

async function openNew(): Promise<Page> {
  const page = await dashboard.browser.open({ viewport: { width: 1440, height: 900 } });
  await signIn(page, pages.newCheck.path);
  await form(page).getByRole("textbox", { name: "URL" }).fill(target);
  return page;
}

const standing = async () => ({
  checks: await dashboard.controlPlane.ok("GET", "/api/checks"),
  changes: await dashboard.controlPlane.ok("GET", "/api/changes"),
  events: await dashboard.controlPlane.ok("GET", "/api/events"),
});

describe.runIf(hasBrowser)(`a test run${BROWSER_ADVICE}`, () => {
  it("shows what the draft would find, makes assertions of it, and leaves no trace", async () => {
    const page = await openNew();
    const before = await standing();
    await panel(page).getByRole("button", { name: "Test run" }).click();
    await panel(page).getByRole("alert").filter({ hasText: "Not run; problems: 1" }).waitFor();
    await form(page)
      .getByRole("checkbox", { name: /Virginia/ })
      .check();
    await page.keyboard.press("Control+Enter");
    const found = panel(page).getByRole("region", { name: /Virginia/ });
    await found.getByText("Failure 500").waitFor();
    const assertions = found.getByRole("list", { name: "Assertions" }).getByRole("listitem");
    expect(await assertions.allInnerTexts()).toEqual([
      expect.stringMatching(/Fails\s*Status code\s+expected 200, actual 500/),
    ]);
    expect(await found.getByRole("list", { name: "Response headers" }).count()).toBe(0);
    await found.getByText("Response", { exact: true }).click();
    expect(await found.getByRole("list", { name: "Response headers" }).innerText()).toContain("</script>");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await standing()).toEqual(before);

    await found.getByRole("button", { name: "Use actual value" }).click();
    const value = form(page).getByRole("spinbutton", { name: "Value" });
    expect(await value.inputValue()).toBe("500");
    await found.getByText("Add assertion from this").click();
    await found.getByRole("searchbox", { name: "Find a value" }).fill("price");
    await found.getByRole("button", { name: "Add assertion: items[0].price" }).click();
    expect(await form(page).getByRole("textbox", { name: "Path" }).inputValue()).toBe("items[0].price");
    await page.keyboard.press("Control+Enter");
    await found.getByText("Success 500").waitFor();
    expect(await assertions.allInnerTexts()).toEqual([
      expect.stringContaining("Holds"),
      expect.stringContaining("Holds"),
    ]);
    expect(await standing()).toEqual(before);
    await page.context().close();
  });

  it("says at each location how far it is and by which runner, and asks no more than it must", async () => {
    const page = await openNew();
    await form(page).getByRole("textbox", { name: "URL" }).fill(`${target}slow`);
    for (const name of [/Virginia/, /Frankfurt/]) await form(page).getByRole("checkbox", { name }).check();
    // The first phases pass too quickly to be seen: they are shown until the test has seen them.
    let shown: { phase: string; runnerId?: null } | undefined = { phase: "ordered", runnerId: null };
    const asked: string[] = [];
    await page.route("**/api/test-runs/*", async (route) => {
      asked.push(route.request().url());
      const response = await route.fetch();
      const { testRun } = (await response.json()) as { testRun: { locations: object[] } };
      const locations = testRun.locations.map((one) => ({ ...one, ...shown }));
      await route.fulfill({ response, json: { testRun: { ...testRun, locations } } });
    });
    await panel(page).getByRole("button", { name: "Test run" }).click();
    const regions = [/Virginia/, /Frankfurt/].map((name) => panel(page).getByRole("region", { name }));
    for (const region of regions) await region.getByText("Ordered, waiting for a runner …").waitFor();
    shown = { phase: "ordered" };
    for (const region of regions) await region.getByText(/^Picked up by rnr_\w+ …$/).waitFor();
    shown = undefined;
    for (const region of regions) await region.getByText(/^Running on rnr_\w+ …$/).waitFor();
    await panel(page).getByText("Test run under way at 2 of 2 locations").waitFor({ state: "attached" });

    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${isHidden ? "hidden" : "visible"}", configurable: true });
        dispatchEvent(new Event("visibilitychange"));`);
    await setHidden(true);
    // One request may be under way.
    await page.waitForTimeout(1_000);
    const whenHidden = asked.length;
    await page.waitForTimeout(2_000);
    expect(asked.length).toBe(whenHidden);
    await setHidden(false);
    await expect.poll(() => asked.length).toBeGreaterThan(whenHidden);

    answerSlow();
    for (const region of regions) await region.getByText(/^By runner rnr_\w+$/).waitFor();
    const whenDone = asked.length;
    await page.waitForTimeout(2_000);
    expect(asked.length).toBe(whenDone);

    // A form that is left asks no more, either.
    await panel(page).getByRole("button", { name: "Test run" }).click();
    for (const region of regions) await region.getByText(/^Running on/).waitFor();
    await page.getByRole("link", { name: "Alerts" }).click();
    await page
      .getByRole("dialog", { name: "Discard changes?" })
      .getByRole("button", { name: "Discard changes" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    await page.waitForTimeout(1_000);
    const whenLeft = asked.length;
    await page.waitForTimeout(2_000);
    expect(asked.length).toBe(whenLeft);
    answerSlow();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.context().close();
  });

  it("begins anew after a change when it is asked to, and fits a narrow screen", async () => {
    const page = await openNew();
    await form(page)
      .getByRole("checkbox", { name: /Virginia/ })
      .check();
    await panel(page).getByRole("checkbox", { name: "Again after each change" }).check();
    await form(page).getByRole("spinbutton", { name: "Value" }).fill("501");
    const found = panel(page).getByRole("region", { name: /Virginia/ });
    await found.getByText("expected 501, actual 500").waitFor();
    for (const [width, colorScheme] of [
      [1440, "light"],
      [390, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/test-run-${width}.png`, fullPage: true });
    }
    await page.context().close();
  });
});

describe.runIf(hasBrowser && hasSandbox)(`a test run of a script${SANDBOX_ADVICE}`, () => {
  it("marks the line at which the script failed, until the script is another one", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1440, height: 900 } });
    await signIn(page, pages.newCheck.path);
    await form(page).getByRole("combobox", { name: "Type" }).first().selectOption("browser");
    await form(page).getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
    const script = form(page).getByRole("textbox", { name: "Script" });
    await script.fill(
      'const shop = "closed";\n\nif (shop !== "open") throw new Error("the shop is closed");\n',
    );
    await form(page)
      .getByRole("checkbox", { name: /Virginia/ })
      .check();
    await script.press("Control+Enter");
    const found = panel(page).getByRole("region", { name: /Virginia/ });
    await found.getByText("Line 3 of the script").waitFor();
    const marked = form(page).locator(".cm-marked");
    expect(await marked.innerText()).toContain("throw new Error");
    expect(await form(page).locator(".cm-marked-message").innerText()).toContain("the shop is closed");
    expect(await accessibilityProblems(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/test-run-script.png` });
    await script.press("Control+Home");
    await page.keyboard.type("// ");
    await expect.poll(() => marked.count()).toBe(0);
    await page.context().close();
  });
});
