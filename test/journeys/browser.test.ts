import { createHash } from "node:crypto";
import type { Check, Result } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BROWSER_ADVICE, hasBrowser, hasSandbox, hasVideo, SANDBOX_ADVICE } from "../harness/browser.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import type { RunningProcess } from "../harness/process.ts";
import { type Site, startSite } from "../harness/site.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const PAGE = `<!doctype html><title>Shop</title><h1>Welcome</h1>
<button></button><a href="/basket">Basket</a>
<script>console.log("loaded"); document.body.append("prices come by script"); fetch("/api/prices")</script>`;

let stack: TestStack;
let controlPlane: ControlPlane;
let runner: RunningProcess;
let locationId: string;
let site: Site;

beforeAll(async () => {
  if (!hasBrowser) return;
  stack = await startTestStack();
  site = await startSite((request, response) => {
    if (request.url === "/gone") response.statusCode = 404;
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  });
  controlPlane = await stack.controlPlane();
  const location = await createLocation(controlPlane, "browser");
  locationId = location.locationId;
  runner = stack.runner({ key: location.runnerKey, port: controlPlane.runnerPort });
  await until("the agent is there, with a browser", async () => {
    const path = `/api/locations/${locationId}/runners`;
    const { runners } = await controlPlane.ok<{ runners: { capabilities: string[] }[] }>("GET", path);
    return runners.some(({ capabilities }) => capabilities.includes("browser"));
  });
});

afterAll(async () => {
  if (!hasBrowser) return;
  await stack[Symbol.asyncDispose]();
  site.close();
});

/** The first result of a new check. */
async function resultOf(name: string, browserConfig: object): Promise<Result> {
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name,
    type: "browser",
    frequencySeconds: 300,
    locations: [locationId],
    browserConfig,
  });
  return until(
    `${name} has a result`,
    async () => {
      const path = `/api/checks/${check.id}/results?detail=true&limit=1`;
      return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results[0];
    },
    { withinMs: 40_000 },
  ).catch((error: Error) => {
    throw new Error(`${error.message} (${String(error.cause)}); the agent printed:\n${runner.output()}`);
  });
}

describe.runIf(hasBrowser)(`a browser check in url mode, by a real agent${BROWSER_ADVICE}`, () => {
  it("tells how the page loaded, what it requested and logged, and how an agent meets it", async () => {
    const result = await resultOf("url", { browserMode: "url", url: site.url, agentView: true });
    expect(result).toMatchObject({ status: "success", httpStatusCode: 200, errorMessage: null });
    expect(result.timing.totalMs).toBeGreaterThan(0);
    expect(result.timing.ttfbMs).toBeGreaterThan(0);
    expect(result.webVitals).toMatchObject({ fcpMs: expect.any(Number), cls: 0, ttfbMs: expect.any(Number) });
    expect(result.steps).toEqual([
      { name: "Load page", status: "success", durationMs: expect.any(Number), startedAt: expect.any(String) },
    ]);
    expect(result.networkRequestsJson?.map(({ url }) => url)).toEqual([site.url, `${site.url}api/prices`]);
    expect(result.consoleLogsJson).toMatchObject([{ type: "log", text: "loaded" }]);
    expect(result.agentViewJson).toEqual({
      noJs: { rawTextChars: 14, renderedTextChars: 36, ratio: 0.389 },
      controls: { total: 2, unnamed: 1, examples: ["button: <button>"] },
    });
  });

  it("leaves a picture and a video, which the result links to", async () => {
    // On a busy machine a browser may not hand a file over in time; then the result says so, and the next run has another try.
    let result = await resultOf("pictures", { browserMode: "url", url: site.url, videoEnabled: hasVideo });
    for (let run = 2; run <= 5 && result.notes?.some((note) => /^no (?:screenshot|video)/.test(note)); run++)
      result = await resultOf(`pictures ${run}`, {
        browserMode: "url",
        url: site.url,
        videoEnabled: hasVideo,
      });
    const linked = await until(
      "the files have arrived",
      async () => {
        const path = `/api/checks/${result.checkId}/results/${result.id}`;
        const { result: now } = await controlPlane.ok<{ result: Result }>("GET", path);
        const files = [...(now.screenshotsJson ?? []), ...(now.videoJson ? [now.videoJson] : [])];
        return files.length === (hasVideo ? 2 : 1) && files.every(({ url }) => url) ? files : undefined;
      },
      { withinMs: 90_000 },
    ).catch((error: Error) => {
      const notes = JSON.stringify(result.notes);
      throw new Error(`${error.message}; the result notes ${notes}; the agent printed:\n${runner.output()}`);
    });
    expect(linked.map(({ contentType }) => contentType)).toEqual(
      hasVideo ? ["image/jpeg", "video/webm"] : ["image/jpeg"],
    );
    for (const { url, sha256, bytes, contentType } of linked) {
      const { pathname, search } = new URL(url as string);
      const answer = await controlPlane.fetch(pathname + search);
      expect(answer.headers.get("content-type")).toBe(contentType);
      const content = Buffer.from(await answer.arrayBuffer());
      expect(content.length).toBe(bytes);
      expect(createHash("sha256").update(content).digest("hex")).toBe(sha256);
    }
    const [first] = linked.map(({ url }) => new URL(url as string));
    first?.searchParams.set("expires", String(Number(first.searchParams.get("expires")) + 1));
    expect((await fetch(first as URL)).status).toBe(404);
  });

  it("fails on a page that answers 404", async () => {
    const result = await resultOf("gone", { browserMode: "url", url: `${site.url}gone` });
    expect(result).toMatchObject({
      status: "failure",
      httpStatusCode: 404,
      errorCategory: "http",
      errorMessage: "the page answered with status 404",
    });
  });

  it("says why a page can't be reached", async () => {
    const result = await resultOf("closed", { browserMode: "url", url: "http://127.0.0.1:4/" });
    expect(result).toMatchObject({ status: "error", errorCategory: "connect" });
    expect(result.errorMessage).toContain("connection refused at 127.0.0.1:4");
  });
});

describe.runIf(hasSandbox)(`a scripted browser check, by a real agent${SANDBOX_ADVICE}`, () => {
  it("runs a test file step by step and judges the steps' assertions", async () => {
    const script = `import { test, expect } from "@playwright/test";
      test("shopping", async ({ page }) => {
        // @step: Open the shop
        await page.goto(${JSON.stringify(site.url)});
        // @step: Read the title
        const title: string = await page.title();
        expect(title).toBe("Shop");
      });`;
    const steps = [
      { name: "Open the shop", assertions: [{ type: "body_contains", value: "Welcome" }] },
      { name: "Read the title", assertions: [{ type: "status_code", value: 201 }] },
    ];
    const result = await resultOf("script", { browserMode: "scripted", script, steps });
    expect(result).toMatchObject({
      status: "failure",
      errorCategory: "assertion",
      errorMessage: 'step "Read the title": status_code: expected status 201, got 200',
    });
    expect(result.steps).toMatchObject([
      { name: "Open the shop", status: "success" },
      {
        name: "Read the title",
        status: "failure",
        errorMessage: "status_code: expected status 201, got 200",
      },
    ]);
  });
});
