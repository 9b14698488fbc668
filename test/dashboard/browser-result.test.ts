/** The result of a browser check in the dashboard: its pictures beside those of the last success, its steps, requests and console. */
import { pagePath, type Result } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { createLocation } from "../harness/fleet.ts";
import { startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";

/** A page of one colour whose console tries to be more than text. */
const pageOf = (color: string) =>
  `<!doctype html><style>html { background: ${color} }</style><title>Shop</title>
   <script>console.log("<img src=x onerror='window.hacked = true'>"); fetch("/api/prices")</script>`;

/** The begin of a PNG file that claims to be 60,000 px wide and high. */
const hugePng = Buffer.from("89504e470d0a1a0a0000000d494844520000ea600000ea600802000000", "hex");

let isBroken = false;
let failure: Result;

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  async prepare({ stack, controlPlane }) {
    const site = await startSite((_request, response) => {
      response.statusCode = isBroken ? 500 : 200;
      response.setHeader("content-type", "text/html");
      response.end(pageOf(isBroken ? "rgb(200 0 0)" : "rgb(0 0 200)"));
    });
    stack.atEnd(site.close);
    const { locationId, runnerKey } = await createLocation(controlPlane, "browser");
    stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
    await until("the agent is there, with a browser", async () => {
      const { runners } = await controlPlane.ok<{ runners: { capabilities: string[] }[] }>(
        "GET",
        `/api/locations/${locationId}/runners`,
      );
      return runners.some(({ capabilities }) => capabilities.includes("browser"));
    });
    const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: "Shop",
      type: "browser",
      frequencySeconds: 300,
      locations: [locationId],
      browserConfig: { browserMode: "url", url: site.url },
    });
    /** Waits for the newest result of a status, with its picture stored. */
    const stored = (status: string) =>
      until(
        `a ${status} with its picture`,
        async () => {
          const path = `/api/checks/${check.id}/results?status=${status}&detail=true&limit=1`;
          const { results } = await controlPlane.ok<{ results: Result[] }>("GET", path);
          return results.find(({ screenshotsJson }) => screenshotsJson?.some(({ url }) => url !== undefined));
        },
        { withinMs: 90_000 },
      );
    await stored("success");
    isBroken = true;
    await controlPlane.ok("POST", `/api/checks/${check.id}/trigger`);
    failure = await stored("failure");
  },
});

describe.runIf(hasBrowser)(`the result of a browser check${BROWSER_ADVICE}`, () => {
  it("shows its picture over that of the last success, and how many pixels differ", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("result", { id: failure.checkId, resultId: failure.id }));
    const pictures = page.getByRole("list", { name: "Screenshots" });
    await pictures.getByText(/% of pixels differ from the last success/).waitFor();
    expect(await pictures.getByRole("status").textContent()).toMatch(/^(9\d|100)\.\d\d %/);
    const image = pictures.getByRole("img", { name: "Last success" });
    expect(new URL((await image.getAttribute("src")) ?? "", dashboard.controlPlane.url).origin).toBe(
      new URL(dashboard.controlPlane.url).origin,
    );
    await expect
      .poll(() => page.evaluate<number>(`document.querySelector("[alt='Last success']").naturalWidth`))
      .toBeGreaterThan(0);
    const slider = pictures.getByRole("slider", { name: "Before and after" });
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await slider.inputValue()).toBe("51");
    await page.context().close();
  });

  it("refuses a picture by the size that its file claims, before it is decoded", async () => {
    const page = await dashboard.browser.open();
    await page.route("**/api/artifacts/**", (route) =>
      route.fulfill({ contentType: "image/png", body: hugePng }),
    );
    await signIn(page, pagePath("result", { id: failure.checkId, resultId: failure.id }));
    await page
      .getByText("Not compared: a picture has 60,000 x 60,000 px, and 8,192 px a side are the most")
      .waitFor();
    await page.context().close();
  });

  it("lists steps, requests and console as text", async () => {
    const page = await dashboard.browser.open();
    await signIn(page, pagePath("result", { id: failure.checkId, resultId: failure.id }));
    await page.getByRole("table", { name: "Steps" }).getByText("Load page").waitFor();
    await page.getByRole("table", { name: "Requests of the page" }).getByText("/api/prices").waitFor();
    await page.getByRole("table", { name: "Console" }).getByText("<img src=x").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await page.context().close();
  });
});
