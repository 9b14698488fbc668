/** The parts of the pages of a check and its results that only some results have, over results of the real probes. */
import { createServer } from "node:http";
import https from "node:https";
import { pagePath, type Result } from "@svc/contract";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import { accessibilityProblems } from "../harness/accessibility.ts";
import { BROWSER_ADVICE, hasBrowser } from "../harness/browser.ts";
import { signIn } from "../harness/dashboard.ts";
import { setUpDashboardTests } from "../harness/dashboard-tests.ts";
import { createLocation } from "../harness/fleet.ts";
import { layoutShifts, watchLayoutShifts } from "../harness/layout-shifts.ts";
import { startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";

/** Text of a target that tries to be markup, and to turn the text behind it. */
const HOSTILE = "<img src=x onerror='window.hacked=1'>\u202Egnp";
const SHOWN = "<img src=x onerror='window.hacked=1'>[U+202E]gnp";

/** Newest result of each check, by the check's name. */
const newest: Record<"Shop" | "Tools" | "Agents" | "Vault", Result> = {} as never;
type Name = keyof typeof newest;
const checkPath = (name: Name) => pagePath("check", { id: newest[name].checkId });
const resultPath = (name: Name) =>
  pagePath("result", { id: newest[name].checkId, resultId: newest[name].id });

/** A site whose page has a control without a name, and which refuses one crawler. */
const shop = createServer((request, response) => {
  if (request.headers["user-agent"]?.includes("GPTBot")) return void response.writeHead(403).end("no bots");
  if (request.url === "/robots.txt") return void response.end("User-agent: GPTBot\nDisallow: /\n");
  if (request.url !== "/") return void response.writeHead(404).end();
  response.setHeader("content-type", "text/html");
  response.end(`<!doctype html><title>Shop</title><h1>Shop</h1><button class="a&lt;b"></button>`);
});

/** Tools of the MCP server, which change between its two runs. */
const tools = [{ name: "first", description: "before", inputSchema: { type: "object" } }];
const mcp = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const { id, method } = JSON.parse(text || "{}");
  if (id === undefined) return void response.writeHead(202).end();
  const answers: Record<string, unknown> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: HOSTILE, version: "1.2.3" },
    },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text: HOSTILE }] },
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }));
});

/** A claim of a language model that tries to be markup. */
const CLAIM = "It is <b onclick=hacked>seen</b> from there.";

/** A language model that words every finding alike. */
const model = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      choices: [{ message: { content: JSON.stringify({ claims: [{ text: CLAIM, factIds: [1] }] }) } }],
    }),
  );
});

const dashboard = setUpDashboardTests({
  withoutRunner: true,
  refusals: [429],
  async environment(stack) {
    const { url, close } = await startSite(model);
    stack.atEnd(close);
    return { SVC_ANALYSIS_LLM_URL: url, SVC_ANALYSIS_LLM_MODEL: "wordy-1" };
  },
  async prepare({ stack, controlPlane }) {
    const authority = await anAuthority();
    const vault = https.createServer(await authority.issue({ validToDays: 20 }), (_request, response) => {
      response.end("ok");
    });
    const [shopSite, mcpSite, vaultSite] = await Promise.all([shop, mcp, vault].map(startSite));
    for (const site of [shopSite, mcpSite, vaultSite]) stack.atEnd(() => site?.close());
    const { locationId, runnerKey } = await createLocation(controlPlane, "Office");
    stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
    await until("the agent is there, with a browser", async () => {
      const path = `/api/locations/${locationId}/runners`;
      const { runners } = await controlPlane.ok<{ runners: { capabilities: string[] }[] }>("GET", path);
      return runners.some(({ capabilities }) => capabilities.includes("browser"));
    });
    const create = async (name: Name, type: string, config: Record<string, unknown>) => {
      const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
        name,
        type,
        frequencySeconds: 3_600,
        locations: [locationId],
        [`${type}Config`]: config,
      });
      return check.id;
    };
    const ids = {
      Shop: await create("Shop", "browser", { browserMode: "url", url: shopSite?.url, agentView: true }),
      Tools: await create("Tools", "mcp", {
        endpoint: `${mcpSite?.url}mcp`,
        expectedTools: ["absent"],
        testCalls: [{ toolName: "first", arguments: {} }],
      }),
      Agents: await create("Agents", "http", {
        url: shopSite?.url,
        agentPersonas: { enabled: true, personas: ["vendor1-bot"] },
        agentReadiness: { enabled: true, every: 1 },
      }),
      Vault: await create("Vault", "http", { url: `https://127.0.0.1:${vaultSite?.port}/` }),
    };
    const results = async (name: Name, count: number, isComplete: (result: Result) => boolean) => {
      newest[name] = await until(
        `${count} results of ${name}`,
        async () => {
          const path = `/api/checks/${ids[name]}/results?detail=true`;
          const { results } = await controlPlane.ok<{ results: Result[] }>("GET", path);
          return results.length >= count ? results.find(isComplete) : undefined;
        },
        { withinMs: 90_000 },
      );
    };
    await results("Tools", 1, () => true);
    Object.assign(tools[0] as object, { description: HOSTILE });
    await controlPlane.ok("POST", `/api/checks/${ids.Tools}/trigger`);
    await results("Tools", 2, ({ mcpSchemaDrift }) => mcpSchemaDrift != null);
    await results("Agents", 1, () => true);
    await results("Vault", 1, () => true);
    await results("Shop", 1, ({ screenshotsJson }) => screenshotsJson?.some(({ url }) => url) ?? false);
  },
});

/** Runs a test on a page of a session of its own, signed in. */
async function onPage(path: string, test: (page: Page) => Promise<void>): Promise<void> {
  const page = await dashboard.browser.open();
  await signIn(page, path);
  await test(page);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  await page.context().close();
}

describe.runIf(hasBrowser)(`the parts of a check${BROWSER_ADVICE}`, () => {
  it("analyses it on demand, says who worded the insight, and refuses again with the time to wait", async () => {
    await onPage(checkPath("Agents"), async (page) => {
      const insight = page.getByRole("region", { name: "Insight" });
      await insight.getByText("Nobody has asked for an analysis yet.").waitFor();
      await insight.getByText("5 uses left of 5").waitFor();
      await insight.getByRole("button", { name: "Analyze" }).click();
      await insight.getByText(CLAIM).waitFor();
      await insight.getByRole("link", { name: "Fact 1" }).click();
      await insight.locator("ol > li:target").waitFor();
      await insight.getByText("Worded by the language model wordy-1").waitFor();
      await insight.getByText(/^4 uses left of 5, the next in [45] min/).waitFor();
      await insight.getByRole("button", { name: "Analyze" }).click();
      const refusal = insight.getByRole("alert");
      await refusal.getByText(/analyzed less than 5 minutes ago\. Try again in \d+ s\.$/).waitFor();
    });
  });

  it("shows a page's vitals in words, and its pictures", async () => {
    await onPage(checkPath("Shop"), async (page) => {
      const vitals = page.getByRole("region", { name: "Web vitals" });
      for (const name of ["LCP", "FCP", "CLS", "TTFB"]) await vitals.getByText(`(${name})`).waitFor();
      expect(await vitals.getByText(/^(Good|Needs improvement|Poor)$/).count()).toBeGreaterThan(1);
      const picture = page.getByRole("list", { name: "Filmstrip" }).getByRole("img");
      await picture.scrollIntoViewIfNeeded();
      await expect
        .poll(() => page.evaluate<number>(`document.querySelector(".filmstrip img").naturalWidth`))
        .toBeGreaterThan(0);
    });
  });

  it("shows an MCP server, its tools, and its last change before and after", async () => {
    await onPage(checkPath("Tools"), async (page) => {
      const server = page.getByRole("region", { name: "MCP server" });
      await server.getByText(SHOWN, { exact: true }).first().waitFor();
      await server.getByText("1.2.3").waitFor();
      await server.getByText("absent").waitFor();
      const change = page.getByRole("table", { name: "Before and after" });
      const row = change.getByRole("row", { name: /^first description before/ });
      await row.getByRole("cell", { name: SHOWN }).waitFor();
    });
  });

  it("shows the certificate that each location sees", async () => {
    await onPage(checkPath("Vault"), async (page) => {
      const table = page.getByRole("table", { name: "Certificates by location" });
      await table
        .getByRole("row", { name: /^Office 127\.0\.0\.1.* CN=localhost CN=Test Root (19|20) days left/ })
        .waitFor();
      await table.getByText("Not trusted").waitFor();
      await table.getByText(/^TLSv1\.[23]$/).waitFor();
    });
  });
});

describe.runIf(hasBrowser)(`the parts of a result${BROWSER_ADVICE}`, () => {
  it("are the report of an MCP server with what changed", async () => {
    await onPage(resultPath("Tools"), async (page) => {
      const calls = page
        .getByRole("region", { name: "MCP report" })
        .getByRole("table", { name: "Calls of tools" });
      await calls
        .getByRole("row", { name: /^first Success/ })
        .getByText(SHOWN)
        .waitFor();
      const changes = page.getByRole("region", { name: "Changes since the run before" });
      await changes.getByRole("cell", { name: SHOWN }).waitFor();
    });
  });

  it("are the personas, and what the site offers to agents", async () => {
    await onPage(resultPath("Agents"), async (page) => {
      const personas = page.getByRole("table", { name: "Personas" });
      await personas.getByRole("row", { name: /^vendor1-bot Blocked answered 403/ }).waitFor();
      const readiness = page.getByRole("region", { name: "Agent readiness" });
      await readiness.getByRole("row", { name: /^robots txt Pass/ }).waitFor();
      await readiness
        .getByRole("table", { name: "Agents in robots.txt" })
        .getByText("Not allowed")
        .first()
        .waitFor();
    });
  });

  it("are the page as agents see it, and its vitals", async () => {
    await onPage(resultPath("Shop"), async (page) => {
      const view = page.getByRole("region", { name: "Agent view" });
      await view.getByText("of 1 controls").waitFor();
      await view.getByRole("list", { name: "Controls without a name" }).getByText("button").waitFor();
      await page.getByRole("region", { name: "Web vitals" }).getByText("(LCP)").waitFor();
    });
  });

  it("are the raw JSON, which is in the page only once it is opened, and never holds it", async () => {
    const page = await dashboard.browser.open();
    const long = Array.from({ length: 2_048 }, (_, at) => `${HOSTILE} ${at} ${"x".repeat(80)}`);
    await page.route(`**${resultPath("Tools").replace("/checks", "/api/checks")}`, async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, result: { ...answer.result, notes: long } } });
    });
    await signIn(page, resultPath("Tools"));
    const raw = page.getByRole("region", { name: "Raw result" });
    await raw.getByText("Show as JSON").waitFor();
    const nodes = () => page.evaluate<number>(`document.querySelectorAll("*").length`);
    const before = await nodes();
    expect(await raw.getByText('"mcpJson"').count()).toBe(0);
    await raw.getByText("Show as JSON").click();
    await raw.getByText('"mcpJson"').waitFor();
    expect((await nodes()) - before).toBeLessThan(5_000);
    const text = await page.evaluate<string>(
      `[...document.querySelectorAll(".raw > span")].map((one) => one.textContent).join("\\n")`,
    );
    expect(text.length).toBeGreaterThan(262_144);
    expect(JSON.parse(text).notes).toEqual(long.map((note) => note.replace("\u202E", "[U+202E]")));
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await page.context().close();
  });

  it("do not move once they are drawn, wide or narrow", async () => {
    const page = await dashboard.browser.open({ viewport: { width: 1280, height: 720 } });
    await watchLayoutShifts(page);
    await signIn(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 720 });
      for (const name of ["Shop", "Agents"] as const)
        for (const path of [checkPath(name), resultPath(name)]) {
          await page.goto(path);
          expect([width, path, await layoutShifts(page)]).toEqual([width, path, []]);
        }
    }
    await page.context().close();
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`are accessible and fit a narrow screen, ${colorScheme}`, async () => {
      const page = await dashboard.browser.open({ colorScheme, viewport: { width: 390, height: 800 } });
      await signIn(page);
      for (const name of ["Shop", "Tools", "Agents", "Vault"] as const)
        for (const path of [checkPath(name), resultPath(name)]) {
          await page.goto(path);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
          expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
          const overflow = await page.evaluate(`document.documentElement.scrollWidth - innerWidth`);
          expect([path, overflow]).toEqual([path, 0]);
        }
      await page.context().close();
    });
});
