import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  hasSandbox,
  linesOf,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";
import { type Site, startSite } from "../harness/site.ts";

/** The driver's Playwright is built without what no driver uses: these parts come from where it was cut. */
describe.runIf(hasSandbox)(`Playwright as scripts have it${SANDBOX_ADVICE}`, () => {
  let runtime: ReturnType<typeof openBrowserRuntime>;
  let site: Site;

  beforeAll(async () => {
    runtime = openBrowserRuntime();
    site = await startSite((request, response) => {
      response.setHeader("content-type", request.url === "/data" ? "application/json" : "text/html");
      response.end(request.url === "/data" ? '{"a":1}' : "<h1>Shop</h1><ul><li>one</li><li>two</li></ul>");
    });
  });

  afterAll(async () => {
    await runtime.close();
    site.close();
  });

  const run = async (script: string) =>
    resultOf(
      await runBrowserCheck(runtime, {
        browserMode: "scripted",
        script: `const URL = ${JSON.stringify(site.url)};\n${script}`,
      }),
    );

  it("takes aria snapshots, polls, and requests through the proxy", async () => {
    const result = await run(`
      await page.goto(URL);
      await expect.poll(() => page.title()).toBe("");
      await expect(page.locator("li")).toHaveText(["one", "two"]);
      const answer = await request.get(URL + "data");
      expect(await answer.json()).toEqual({ a: 1 });
      console.log(await page.locator("ul").ariaSnapshot());`);
    expect(result.detail?.errorMessage).toBeUndefined();
    expect(linesOf(result, "script")[0]).toContain("- listitem: one");
  });

  it("records and replays what a site answers, writes traces and fakes the clock", async () => {
    const result = await run(`import { existsSync } from "node:fs";
      await context.tracing.start({ snapshots: true, screenshots: true });
      await page.goto(URL);
      await context.tracing.stop({ path: "/tmp/trace.zip" });
      const recorded = await browser.newContext();
      await recorded.routeFromHAR("/tmp/recorded.zip", { update: true });
      await (await recorded.newPage()).goto(URL);
      await recorded.close();
      const replayed = await browser.newContext({ offline: true });
      await replayed.routeFromHAR("/tmp/recorded.zip");
      const copy = await replayed.newPage();
      await copy.goto(URL);
      await expect(copy.locator("h1")).toHaveText("Shop");
      await page.route("**/data", (route) => route.fulfill({ json: { a: 2 } }));
      await page.clock.install({ time: new Date("2030-01-01T00:00:00Z") });
      await page.goto(URL);
      console.log(existsSync("/tmp/trace.zip"), await page.evaluate(() => new Date().getFullYear()),
        JSON.stringify(await page.evaluate(() => fetch("/data").then((answer) => answer.json()))));`);
    expect(result.detail?.errorMessage).toBeUndefined();
    expect(linesOf(result, "script")).toEqual(['true 2030 {"a":2}']);
  });

  it("explains what differs when an expectation does not hold", async () => {
    const result = await run(`expect({ a: 1, b: [1, 2] }).toEqual({ a: 1, b: [1, 3] });`);
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(result.detail?.errorMessage).toMatch(/-\s+3,\s+\+\s+2,/);
  });
});
