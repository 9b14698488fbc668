/** Editing and trying a check with secrets: neither reaches the browser, and the target gets both. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pagePath } from "@svc/contract";
import type { CDPSession } from "playwright";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { createHttpCheck, setUpDashboardTests } from "../harness/dashboard-tests.ts";

const TOKEN = "s3cret-bearer-t0ken";
const HEADER = "s3cret-header-va1ue";

let checkId: string;
/** Headers of the requests that the target got. */
const got: string[] = [];
const dashboard = setUpDashboardTests({
  async prepare({ stack }) {
    const server = createServer((request, response) => {
      got.push(JSON.stringify(request.headers));
      response.end("fine");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stack.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    checkId = await createHttpCheck(dashboard, url, {
      name: "Orders",
      enabled: false,
      httpConfig: {
        url,
        headers: { "X-Api-Key": HEADER },
        auth: { type: "bearer", token: TOKEN },
        assertions: [{ type: "status_code", value: 200 }],
      },
    });
  },
});

/** Returns all that lies in the page's memory, as text. */
async function heapOf(cdp: CDPSession): Promise<string> {
  const parts: string[] = [];
  cdp.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => parts.push(chunk));
  await cdp.send("HeapProfiler.enable");
  await cdp.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  return parts.join("");
}

describe.runIf(hasBrowser)(`the editor of a check with secrets${BROWSER_ADVICE}`, () => {
  it("has neither value in an answer, in the page or in its memory, while it is edited and tried", async () => {
    const page = await dashboard.browser.open();
    const answers: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/") && !response.url().includes("/api/live"))
        answers.push(response.text().catch(() => ""));
    });
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url() + (request.postData() ?? "")));
    await signIn(page, pagePath("editCheck", { id: checkId }));
    const form = page.getByRole("form", { name: "Check" });
    expect(await form.getByRole("textbox", { name: "Token" }).inputValue()).toBe("***");
    const panel = page.getByRole("complementary", { name: "Test run" });
    await panel.getByRole("button", { name: "Test run" }).click();
    await panel
      .getByRole("region", { name: /Virginia/ })
      .getByText("Success 200")
      .waitFor();
    expect(got.at(-1)).toContain(`Bearer ${TOKEN}`);
    expect(got.at(-1)).toContain(HEADER);

    const heap = await heapOf(await page.context().newCDPSession(page));
    // What the page does have is found in it.
    for (const there of ["X-Api-Key", "Orders"]) expect(heap.includes(there)).toBe(true);
    const seen = [...(await Promise.all(answers)), ...sent, await page.content(), heap];
    for (const secret of [TOKEN, HEADER]) expect(seen.some((text) => text.includes(secret))).toBe(false);

    await form.getByRole("textbox", { name: "Name", exact: true }).fill("Orders of the shop");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Orders of the shop" }).waitFor();
    const { check } = await dashboard.controlPlane.ok<{ check: { configJson: object } }>(
      "GET",
      `/api/checks/${checkId}`,
    );
    expect(check.configJson).toMatchObject({
      headers: { "X-Api-Key": HEADER },
      auth: { type: "bearer", token: TOKEN },
    });
    const after = [...(await Promise.all(answers)), ...sent, await page.content()];
    for (const secret of [TOKEN, HEADER]) expect(after.some((text) => text.includes(secret))).toBe(false);

    // The change log names the person, the page and the names; no value of a secret.
    const { changes } = await dashboard.controlPlane.ok<{ changes: object[] }>("GET", "/api/changes?limit=1");
    expect(changes).toMatchObject([
      {
        type: "check",
        action: "updated",
        source: "ui",
        changedFields: [{ field: "name", oldValue: "Orders", newValue: "Orders of the shop" }],
      },
    ]);
    await page.goto(pagePath("changes", {}));
    const row = page
      .getByRole("table", { name: "Changes" })
      .getByRole("row")
      .filter({ has: page.locator("ins", { hasText: "Orders of the shop" }) });
    for (const text of ["owner@example.com", "Dashboard", "Orders"])
      expect(await row.innerText()).toContain(text);
    await page.context().close();
  });
});
