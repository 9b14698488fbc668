/** Making and changing a check in the dashboard: what is wrong stands at its field, nothing is lost, and what is saved runs. */
import { pagePath, pages } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { OWNER, signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { until } from "../harness/wait.ts";

const dashboard = setUpDashboardTests({ refusals: [400, 412] });

const form = (page: Page) => page.getByRole("form", { name: "Check" });
const box = (page: Page, name: string) => form(page).getByRole("textbox", { name, exact: true });
const frequency = (page: Page) => form(page).getByRole("spinbutton", { name: "Frequency in seconds" });
const save = (page: Page) => form(page).getByRole("button", { name: "Save" }).click();
const location = (page: Page) =>
  form(page)
    .getByRole("group", { name: "Locations" })
    .getByRole("checkbox", { name: /Virginia/ });

interface StoredCheck {
  name: string;
  configJson: Record<string, unknown>;
  frequencySeconds: number;
}
const storedCheck = async (id: string) =>
  (await dashboard.controlPlane.ok<{ check: StoredCheck }>("GET", `/api/checks/${id}`)).check;
const idOf = (page: Page) => new URL(page.url()).pathname.split("/")[2] ?? "";

describe.runIf(hasBrowser)(`the editor of checks${BROWSER_ADVICE}`, () => {
  it("makes a check from a URL and a location, which expects the status 200 and runs", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.newCheck.path);
    await box(page, "URL").fill(dashboard.stack.target.url);
    await location(page).check();
    await save(page);
    await page.getByRole("heading", { level: 1, name: /^127\.0\.0\.1/ }).waitFor();
    const id = idOf(page);
    expect((await storedCheck(id)).configJson.assertions).toEqual([
      { type: "status_code", operator: "equals", value: 200 },
    ]);
    await until("its first result", async () => {
      const path = `/api/checks/${id}/results`;
      return (await dashboard.controlPlane.ok<{ results: unknown[] }>("GET", path)).results.length > 0;
    });
    await page.context().close();
  });

  it("says what is wrong at each field before it sends anything, and the service's own refusals there, too", async () => {
    const page = await dashboard.browser.open();
    const sent: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      // A preview changes nothing, and its body is too large for an address.
      if (request.method() !== "GET" && pathname !== "/api/capacity/preview") sent.push(pathname);
    });
    await signIn(page, pages.newCheck.path);
    sent.length = 0;
    await box(page, "Name").fill("Shop");
    await frequency(page).fill("5");
    await save(page);
    const problems = page.getByRole("alert").filter({ hasText: "problems" });
    await problems.waitFor();
    expect(await page.evaluate(`document.activeElement.getAttribute("role")`)).toBe("alert");
    for (const [field, text] of [
      [box(page, "URL"), "expected a valid http:// or https:// URL"],
      [frequency(page), "smallest is 10"],
    ] as const) {
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      const describedBy = (await field.getAttribute("aria-describedby")) ?? "";
      const texts = await page.locator(`[id="${describedBy.split(" ").at(-1)}"]`).textContent();
      expect(texts).toContain(text);
    }
    await problems.getByText("at least one location").waitFor();
    expect(sent).toEqual([]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }

    await problems.getByRole("button", { name: "URL" }).click();
    expect(await page.evaluate(`document.activeElement.id`)).toBe(await box(page, "URL").getAttribute("id"));
    const { location: place } = await dashboard.controlPlane.ok<{ location: { id: string } }>(
      "POST",
      "/api/locations",
      { name: "office" },
    );
    await page.reload();
    await page.getByRole("button", { name: "Go on with the draft" }).click();
    expect(await box(page, "Name").inputValue()).toBe("Shop");
    await box(page, "URL").fill(dashboard.stack.target.url);
    await frequency(page).fill("7");
    await frequency(page).fill("61");
    await form(page)
      .getByRole("checkbox", { name: /office/ })
      .check();
    await dashboard.controlPlane.ok("DELETE", `/api/locations/${place.id}`);
    await save(page);
    await form(page).getByRole("group", { name: "Locations" }).getByText(place.id).first().waitFor();
    expect(await box(page, "Name").inputValue()).toBe("Shop");
    expect(sent).toEqual(["/api/checks"]);
    await page.context().close();
  });

  it("fills itself from a curl command", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.newCheck.path);
    const { url } = dashboard.stack.target;
    await box(page, "URL").fill(`curl -X POST -H 'A: b' -d '{"x":1}' ${url}/cart`);
    await page.getByText("Filled in from the curl command.").waitFor();
    expect(await box(page, "URL").inputValue()).toBe(`${url}/cart`);
    await location(page).check();
    await save(page);
    await page.getByRole("tab", { name: "Overview" }).waitFor();
    const { configJson } = await storedCheck(idOf(page));
    expect(configJson).toMatchObject({
      url: `${url}/cart`,
      method: "POST",
      headers: { A: "b", "Content-Type": "application/x-www-form-urlencoded" },
      body: '{"x":1}',
    });
    await page.context().close();
  });

  it("fills itself from an OpenAPI operation, and says what is wrong with one", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.newCheck.path);
    const { url } = dashboard.stack.target;
    await form(page).getByText("Fill in from an OpenAPI operation").click();
    const paste = async (text: string) => {
      await box(page, "OpenAPI operation").fill(text);
      await form(page).getByRole("button", { name: "Fill in" }).click();
    };
    await paste("/cart: { get: {}, post: {} }");
    await form(page).getByText("There are 2 operations in it (GET /cart, POST /cart)").waitFor();
    expect(await box(page, "OpenAPI operation").getAttribute("aria-invalid")).toBe("true");
    expect(await accessibilityProblems(page)).toEqual([]);
    await paste(`servers: [{ url: ${url} }]
paths:
  /cart/{id}:
    put:
      parameters: [{ name: id, in: path, required: true, example: 7 }]
      requestBody: { content: { application/json: { example: { x: 1 } } } }
      responses: { "204": { description: stored } }
`);
    await page.getByText("Filled in from the operation.").waitFor();
    expect(await box(page, "URL").inputValue()).toBe(`${url}/cart/7`);
    expect(await box(page, "OpenAPI operation").inputValue()).toBe("");
    await location(page).check();
    await save(page);
    await page.getByRole("tab", { name: "Overview" }).waitFor();
    expect((await storedCheck(idOf(page))).configJson).toMatchObject({
      url: `${url}/cart/7`,
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{\n  "x": 1\n}',
      assertions: [{ type: "status_code", operator: "equals", value: 204 }],
    });
    await page.context().close();
  });

  it("asks before unsaved work is left, and offers it again without secrets", async () => {
    const id = await createHttpCheck(dashboard, dashboard.stack.target.url, {
      name: "Orders",
      frequencySeconds: 3600,
      httpConfig: {
        url: dashboard.stack.target.url,
        auth: { type: "bearer", token: "stored-t0ken" },
        body: "a=1",
        method: "POST",
      },
    });
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("editCheck", { id }));
    await box(page, "Name").fill("Orders of the shop");
    await box(page, "Token").fill("typed-t0ken");
    await page.getByRole("link", { name: "Alerts" }).click();
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Go on editing" }).click();
    expect(await box(page, "Name").inputValue()).toBe("Orders of the shop");
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("t0ken");
    await page.reload();
    await page.getByRole("button", { name: "Go on with the draft" }).click();
    expect(await box(page, "Name").inputValue()).toBe("Orders of the shop");
    expect(await box(page, "Token").inputValue()).toBe("");
    await box(page, "Token").fill("new-t0ken");
    await save(page);
    await page.getByRole("heading", { level: 1, name: "Orders of the shop" }).waitFor();
    expect((await storedCheck(id)).configJson).toMatchObject({
      auth: { type: "bearer", token: "new-t0ken" },
      body: "a=1",
    });

    // A form without changes is left at once, and a stored secret that nobody touches stays.
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    expect(await box(page, "Token").inputValue()).toBe("***");
    await frequency(page).fill("7200");
    await save(page);
    await page.getByRole("tab", { name: "Overview" }).waitFor();
    expect(await storedCheck(id)).toMatchObject({
      frequencySeconds: 7200,
      configJson: { auth: { token: "new-t0ken" } },
    });
    await page.context().close();
  });

  it("asks before it replaces what somebody else has changed meanwhile", async () => {
    const id = await createHttpCheck(dashboard, dashboard.stack.target.url, {
      name: "Shared",
      frequencySeconds: 3600,
    });
    const page = await dashboard.browser.open();
    const question = page.getByRole("dialog", { name: "Changed meanwhile" });
    const rename = (name: string) => dashboard.controlPlane.ok("PUT", `/api/checks/${id}`, { name });
    await signIn(page, pagePath("editCheck", { id }));
    await frequency(page).fill("600");
    await rename("Theirs");
    await save(page);
    await question.getByText(/since you opened it: Name\./).waitFor();
    expect((await storedCheck(id)).name).toBe("Theirs");
    await question.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => box(page, "Name").inputValue()).toBe("Theirs");
    expect(await frequency(page).inputValue()).toBe("3600");

    await box(page, "Name").fill("Mine");
    await rename("Theirs again");
    await save(page);
    await question.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor();
    expect((await storedCheck(id)).name).toBe("Mine");
    await page.context().close();
  });

  it("keeps what was filled in while a session that ended is begun again", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pages.newCheck.path);
    await box(page, "Name").fill("Kept");
    await box(page, "URL").fill(dashboard.stack.target.url);
    // What the form asks of the service by itself is answered before the session ends.
    const asked = page.waitForResponse(/\/api\/capacity\/preview$/);
    await location(page).check();
    await asked;
    await page.context().clearCookies();
    await save(page);
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByRole("textbox", { name: "Email" }).fill(OWNER.email);
    await dialog.getByRole("textbox", { name: "Password" }).fill(OWNER.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await box(page, "Name").inputValue()).toBe("Kept");
    await save(page);
    await page.getByRole("heading", { level: 1, name: "Kept" }).waitFor();
    await page.context().close();
  });

  it("warns of drift where a project manages the check", async () => {
    const id = await createHttpCheck(dashboard, dashboard.stack.target.url, { name: "Managed" });
    await dashboard.controlPlane.ok("PUT", "/api/deploy-baselines/shop", {
      resources: [{ kind: "check", name: "Managed", resourceId: id, hash: "0", updatedAt: "now" }],
    });
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("editCheck", { id }));
    await page.getByText(/Managed by project shop.*drift/).waitFor();
    await page.goto(pagePath("check", { id }));
    await page.getByText("Managed by project shop").first().waitFor();
    await page.context().close();
  });
});
