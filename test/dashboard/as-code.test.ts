/** A check as code in the dashboard, and what the pages asked the API for. */
import { pagePath } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const SECRETS = ["s3cret-bearer-token", "s3cret-header-value"];

let checkId: string;

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
  },
});

describe.runIf(hasBrowser)(`a check as code${BROWSER_ADVICE}`, () => {
  it("is shown with placeholders; no secret reaches the browser", async () => {
    const page = await dashboard.browser.open();
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
    const { files, secrets } = await dashboard.controlPlane.ok<{
      files: { text: string }[];
      secrets: string[];
    }>("GET", `/api/checks/${checkId}/as-code`);
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
    const page = await dashboard.browser.open();
    await signIn(page, `${pagePath("check", { id: checkId })}?tab=code`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("svc.config.yaml");
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
