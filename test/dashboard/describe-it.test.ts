/** Scripts in words, in the editor: written by a language model, tried by a real agent, and in the form only when somebody says so. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser, hasSandbox, SANDBOX_ADVICE } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { createLocation } from "../harness/fleet.ts";
import { startModelEndpoint } from "../harness/model-endpoint.ts";
import { until } from "../harness/wait.ts";

/** A text of the page that would be an element, were it shown as anything but text. */
const HOSTILE = "<img src=x onerror=alert(1)>";

let shop = "";
let model: Awaited<ReturnType<typeof startModelEndpoint>>;
const dashboard = setUpDashboardTests({
  withoutRunner: true,
  environment: async (stack) => {
    model = await startModelEndpoint();
    stack.atEnd(() => model.close());
    return model.environment;
  },
  prepare: async ({ stack, controlPlane }) => {
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<title>Shop</title><h1>Shop</h1><p>${HOSTILE.replaceAll("<", "&lt;")}</p>`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stack.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    if (!hasSandbox) return;
    const { locationId, runnerKey } = await createLocation(controlPlane, "office");
    stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
    await until("the agent takes scripts", async () => {
      const { runners } = await controlPlane.ok<{ runners: { capabilities: string[] }[] }>(
        "GET",
        `/api/locations/${locationId}/runners`,
      );
      return runners[0]?.capabilities.includes("limited_test_runs");
    });
  },
});

const form = (page: Page) => page.getByRole("form", { name: "Check" });
const part = (page: Page) => form(page).getByRole("region", { name: "Describe it" });
const script = (page: Page) => form(page).getByRole("textbox", { name: "Script", exact: true });
const write = (page: Page) => part(page).getByRole("button", { name: "Write script" });
const block = (text: string) => `\`\`\`typescript\n${text}\n\`\`\``;
const goodScript = () =>
  `// @step: Open the shop\nawait page.goto("${shop}");\nawait expect(page.getByRole("heading")).toHaveText("Shop");`;

async function openScripted(): Promise<Page> {
  const page = await dashboard.browser.open({ viewport: { width: 1280, height: 900 } });
  await signIn(page, pages.newCheck.path);
  await form(page).getByRole("combobox", { name: "Type" }).first().selectOption("browser");
  await form(page).getByRole("combobox", { name: "Browser mode" }).selectOption("scripted");
  await form(page).locator(".cm-content").waitFor();
  await part(page).waitFor();
  return page;
}

async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, "light"],
    [390, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true });
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

describe.runIf(hasBrowser && hasSandbox)(`a script in words${BROWSER_ADVICE}${SANDBOX_ADVICE}`, () => {
  it("is written and tried by keyboard alone, goes into the form by a click that can be undone, and is changed by words", async () => {
    model.answerWith(({ input }) =>
      block(JSON.stringify(input).includes("refinement") ? `${goodScript()}\n// changed` : goodScript()),
    );
    const page = await openScripted();
    const text = part(page).getByRole("textbox", { name: "What it should do" });
    await text.focus();
    await page.keyboard.type("Too short");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await part(page).getByText("a description has at least 10 characters").waitFor();
    expect(await part(page).locator("textarea:focus").count()).toBe(1);
    expect(await text.getAttribute("aria-invalid")).toBe("true");
    expect(model.asked).toEqual([]);
    await expectAccessible(page, "describe-problem");
    await text.fill("See the heading of the shop");
    await page.keyboard.press("Tab");
    await page.keyboard.type(shop);
    await page.keyboard.press("Enter");
    const outcome = part(page).getByRole("region", { name: "Generated script" });
    await outcome.getByText("Passed", { exact: true }).waitFor();
    const progress = part(page).getByRole("list", { name: "Progress" }).getByRole("listitem");
    expect(await progress.allInnerTexts()).toEqual([
      "Looking at the page",
      "Writing draft 1",
      "Trying draft 1",
    ]);
    expect(await part(page).getByRole("status").innerText()).toBe("There is a script. Its try: passed.");
    expect(
      await outcome.getByRole("list", { name: "Steps of the generated script" }).allInnerTexts(),
    ).toEqual(["Open the shop"]);
    await outcome.getByText(/^Pictures/).click();
    const picture = outcome.getByRole("img", { name: "Page at the end of Open the shop" });
    await picture.scrollIntoViewIfNeeded();
    await expect
      .poll(() => page.evaluate('document.querySelector(".describe img").naturalWidth'))
      .toBeGreaterThan(0);
    await expectAccessible(page, "describe-passed");
    expect((await script(page).innerText()).trim()).toBe("");

    const use = outcome.getByRole("button", { name: "Use this script" });
    const written = async () => (await script(page).innerText()).trim();
    await use.press("Enter");
    await expect.poll(written).toContain("// @step: Open the shop");
    await page.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" }).click();
    await expect.poll(written).toBe("");
    await use.click();
    await expect.poll(written).toContain("// @step: Open the shop");

    await part(page).getByRole("textbox", { name: "What should change" }).fill("Add a comment");
    await write(page).click();
    await outcome.getByText("// changed").waitFor();
    expect(model.asked.at(-1)?.input).toMatchObject({
      description: "See the heading of the shop",
      refinement: "Add a comment",
      previousScript: `${goodScript()}\n`,
      targetUrl: shop,
    });
    expect(await written()).not.toContain("// changed");
    await use.click();
    await form(page).getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
    await form(page)
      .getByRole("checkbox", { name: /Virginia/ })
      .check();
    await form(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor();
    const { checks } = await dashboard.controlPlane.ok<{ checks: { configJson: { script: string } }[] }>(
      "GET",
      "/api/checks",
    );
    expect(checks.map(({ configJson }) => configJson.script)).toEqual([`${goodScript()}\n// changed\n`]);

    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await form(page).getByText("Describe it").press("Enter");
    await part(page).getByRole("textbox", { name: "What should change" }).waitFor();
    expect(await part(page).getByRole("textbox", { name: "Target URL" }).inputValue()).toBe(shop);
    await page.context().close();
  });

  it("that fails is shown as failed, with why each draft did, as text", async () => {
    model.answerWith(() =>
      block(
        `await page.goto("${shop}");\nthrow new Error("The page says: " + await page.getByRole("paragraph").innerText());`,
      ),
    );
    const page = await openScripted();
    await part(page).getByRole("textbox", { name: "What it should do" }).fill(`See what ${shop} says`);
    await write(page).click();
    const outcome = part(page).getByRole("region", { name: "Generated script" });
    await outcome.getByText("Failed", { exact: true }).waitFor();
    await outcome.getByText(`The page says: ${HOSTILE}`).waitFor();
    const progress = part(page).getByRole("list", { name: "Progress" }).getByRole("listitem");
    await progress
      .filter({ hasText: "Draft 2 failed, writing draft 3" })
      .filter({ hasText: HOSTILE })
      .waitFor();
    await expectAccessible(page, "describe-failed");
    expect((await script(page).innerText()).trim()).toBe("");
    await page.context().close();
  });

  it("is cancelled at any moment, which frees the service, and may be asked for again after a failure", async () => {
    const page = await openScripted();
    await part(page).getByRole("textbox", { name: "What it should do" }).fill("See the heading of the shop");
    // More than the service carries out at a time: a generation that went on would refuse a later one.
    for (let turn = 1; turn <= 3; turn++) {
      model.answerWith(() => null);
      await write(page).click();
      await until("the model is asked", () => model.asked.length > 0);
      await part(page).getByRole("button", { name: "Cancel writing" }).press("Enter");
      await part(page).getByText("Cancelled. The script in the form is as it was.").waitFor();
      await expect.poll(() => part(page).locator("button:focus").allInnerTexts()).toEqual(["Write script"]);
    }
    model.answerWith(() => null);
    const { url, apiKey } = dashboard.controlPlane;
    const leave = new AbortController();
    const others = [1, 2].map(() =>
      fetch(`${url}/api/checks/generate`, {
        method: "POST",
        signal: leave.signal,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ description: "See the heading of the shop" }),
      }).catch(() => undefined),
    );
    await until("both ask the model", () => model.asked.length === 2);
    await write(page).click();
    const alert = part(page).getByRole("alert");
    await alert
      .getByText("The team has 2 generations under way; try again when one has ended. Try again in 15 s.")
      .waitFor();
    leave.abort();
    await Promise.all(others);
    model.answerWith(() => 401);
    await until("a failure of the model is said", async () => {
      await write(page).click();
      await part(page).getByRole("button", { name: "Cancel writing" }).waitFor({ state: "detached" });
      return (await alert.innerText()).includes("The language model gave no answer in time");
    });
    await expectAccessible(page, "describe-refused");
    model.answerWith(() => block(goodScript()));
    await write(page).click();
    const outcome = part(page).getByRole("region", { name: "Generated script" });
    await outcome.getByText("Not run", { exact: true }).waitFor();
    await outcome.getByText("Neither targetUrl nor the description names a URL.").waitFor();
    expect((await script(page).innerText()).trim()).toBe("");
    await page.context().close();
  });
});
