/** A check as code in the dashboard, and what the pages asked the API for. */
import { pagePath } from "@svc/contract";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { type DashboardBrowser, openDashboardBrowser, signIn } from "../harness/dashboard.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

const SECRETS = ["s3cret-bearer-token", "s3cret-header-value"];

let stack: TestStack;
let controlPlane: ControlPlane;
let browser: DashboardBrowser;
let checkId: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Orders",
    type: "http",
    frequencySeconds: 3600,
    locations: ["loc_us_east"],
    httpConfig: {
      url: "http://127.0.0.1:9/",
      headers: { "X-Api-Key": SECRETS[1] },
      auth: { type: "bearer", token: SECRETS[0] },
      assertions: [{ type: "status_code", value: 200 }],
    },
  });
  checkId = check.id;
  browser = await openDashboardBrowser(controlPlane, [
    /console: Failed to load resource: the server responded with a status of 401/,
  ]);
}, 120_000);
afterEach(() => {
  if (hasBrowser) expect(browser.problems()).toEqual([]);
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  await stack[Symbol.asyncDispose]();
}, 60_000);

describe.runIf(hasBrowser)(`a check as code${BROWSER_ADVICE}`, () => {
  it("is shown with placeholders; no secret reaches the browser", async () => {
    const page = await browser.open();
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/") && !response.url().includes("/api/live"))
        bodies.push(response.text().catch(() => ""));
    });
    await signIn(page, pagePath("check", { id: checkId }));
    await page.getByRole("tab", { name: "As code" }).click();
    const yaml = page.getByRole("textbox", { name: "YAML" });
    await expect.poll(() => yaml.inputValue()).toContain("{{secrets.");
    expect(await yaml.getAttribute("readonly")).not.toBeNull();
    const { files, secrets } = await controlPlane.ok<{ files: { text: string }[]; secrets: string[] }>(
      "GET",
      `/api/checks/${checkId}/as-code`,
    );
    expect(await yaml.inputValue()).toBe(files[0]?.text);
    const variables = page.getByRole("list", { name: "Variables to set" }).getByRole("listitem");
    expect(await variables.allTextContents()).toEqual(secrets);
    await page.getByRole("tab", { name: "Config" }).click();
    const seen = [...(await Promise.all(bodies)), await page.content()].join("\n");
    expect(seen).toContain("Orders");
    for (const secret of SECRETS) expect(seen).not.toContain(secret);
    await page.context().close();
  });

  it("is saved as a file", async () => {
    const page = await browser.open();
    await signIn(page, `${pagePath("check", { id: checkId })}?tab=code`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("svc.config.yaml");
    await page.context().close();
  });

  it("names the requests of a page as commands, without a credential", async () => {
    const page = await browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await signIn(page, pagePath("check", { id: checkId }));
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const commands = await page.evaluate("navigator.clipboard.readText()");
    expect(commands).toContain(
      `curl -s -H "Authorization: Bearer $SVC_API_KEY" '${controlPlane.url}/api/checks/${checkId}?secrets=masked'`,
    );
    await page.context().close();
  });
});
