import type http from "node:http";
import { readinessProbeTypes } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { httpServer } from "../../test-support/servers.ts";
import { LOOP_JSON_LENGTH_MAX } from "../base/json-pool.ts";
import { runProbe } from "../registry.ts";
import { readinessProbes } from "./registry.ts";
import { scoreOf } from "./run-readiness.ts";

type Page = { status?: number; type?: string; body?: string; headers?: http.OutgoingHttpHeaders };
type Pages = Record<string, Page | ((request: http.IncomingMessage) => Page)>;

const PAGE: Page = {
  type: "text/html",
  body: '<html><script type="application/ld+json">{"@type":"Organization","@graph":[{"@type":["Product"]}]}</script>',
};
const ROBOTS =
  "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\nSitemap: /map.xml\n";
/** A site on which every probe passes. */
const GOOD_SITE: Pages = {
  "/": (request) =>
    request.headers.accept === "text/markdown"
      ? { type: "text/markdown; charset=utf-8", body: "# Home", headers: { Vary: "Accept" } }
      : PAGE,
  "/robots.txt": { type: "text/plain", body: ROBOTS },
  "/llms.txt": { type: "text/plain", body: "# Site\n\n- [Docs](https://a.example/docs.md)\n" },
  "/map.xml": { type: "application/xml", body: "<urlset><url><loc>https://a.example/</loc></url></urlset>" },
  "/.well-known/api-catalog": { type: "application/linkset+json", body: '{"linkset":[{"anchor":"/api"}]}' },
  "/.well-known/mcp/server-card.json": { type: "application/json", body: '{"serverInfo":{"name":"x"}}' },
  "/.well-known/agent-card.json": {
    type: "application/json",
    body: '{"name":"A","description":"","version":"1","capabilities":{},"skills":[]}',
  },
  "/.well-known/security.txt": {
    type: "text/plain",
    body: "Contact: mailto:a@a.example\nExpires: 2999-01-01T00:00:00Z\n",
  },
};

async function reportOn(pages: Pages, config: Record<string, unknown> = {}, path = "/") {
  const asked: string[] = [];
  const url = await httpServer((request, response) => {
    asked.push(request.url ?? "");
    const found = pages[request.url ?? ""];
    const page = typeof found === "function" ? found(request) : (found ?? { status: 404 });
    response.writeHead(page.status ?? 200, { "Content-Type": page.type ?? "text/plain", ...page.headers });
    response.end(page.body);
  });
  const result = expectResult(
    await runProbe(
      aRequest({ url: url + path, agentReadiness: { enabled: true, every: 1 }, ...config }),
      aContext(),
    ),
  );
  const report = result.detail?.agentReadinessJson;
  const finding = (id: string) => report?.probes.find((probe) => probe.id === id);
  return { result, report, finding, asked };
}

it("every readiness probe of the contract exists, and the other way round", () => {
  expect([...readinessProbes.types].sort()).toEqual([...readinessProbeTypes.types].sort());
});

describe("the report", () => {
  it("of a site that offers everything scores 100", async () => {
    const { result, report, asked } = await reportOn(GOOD_SITE);
    expect(report?.probes.filter(({ status }) => status !== "pass")).toEqual([]);
    expect(report?.score).toBe(100);
    expect(report?.contentSignals).toEqual({ search: "yes", "ai-train": "no" });
    expect(report?.robotsAgents).toContainEqual({ agent: "GPTBot", allowed: false, rule: "Disallow: /" });
    expect(report?.robotsAgents).toContainEqual({ agent: "ClaudeBot", allowed: true, rule: "Allow: /" });
    expect(result.status).toBe("success");
    expect(asked.filter((path) => path === "/robots.txt")).toHaveLength(1);
  });

  it("of a site that offers nothing scores 0 and fails nothing by itself", async () => {
    const { result, report } = await reportOn({ "/": { body: "plain" } });
    expect(report?.score).toBe(0);
    expect(report?.probes.filter(({ status }) => status === "skipped").map(({ id }) => id)).toEqual([
      "structured_data",
      "markdown_negotiation",
    ]);
    expect(report?.robotsAgents.every(({ allowed }) => allowed)).toBe(true);
    expect(result.status).toBe("success");
  });

  it.each<[string, string, Pages, string, RegExp]>([
    ["robots_txt", "an HTML page in its place", { "/robots.txt": PAGE }, "missing", /HTML page/],
    ["robots_txt", "no user agent", { "/robots.txt": { body: "hello" } }, "fail", /names no User-agent/],
    [
      "robots_txt",
      "a server error",
      { "/robots.txt": { status: 503 } },
      "fail",
      /could not be fetched: .* answered 503/,
    ],
    ["llms_txt", "no heading", { "/llms.txt": { body: "Site [a](b)" } }, "fail", /heading/],
    ["llms_txt", "no links", { "/llms.txt": { body: "# Site" } }, "fail", /links to nothing/],
    [
      "sitemap",
      "an empty one",
      { "/robots.txt": { status: 404 }, "/sitemap.xml": { body: "<urlset/>" } },
      "fail",
      /lists no locations/,
    ],
    [
      "sitemap",
      "one that robots.txt names and nobody serves",
      { "/map.xml": { status: 404 } },
      "missing",
      /map.xml is not served/,
    ],
    [
      "structured_data",
      "none",
      { "/": { type: "text/html", body: "<html>" } },
      "missing",
      /no structured data/,
    ],
    [
      "structured_data",
      "invalid JSON",
      { "/": { type: "text/html", body: '<script type="application/ld+json">{</script>' } },
      "fail",
      /not valid JSON/,
    ],
    [
      "structured_data",
      "more JSON-LD than is parsed",
      {
        "/": {
          type: "text/html",
          body: `<script type="application/ld+json">{"@type":"A"}</script><script type="application/ld+json">[${"0,".repeat(LOOP_JSON_LENGTH_MAX / 2)}0]</script>`,
        },
      },
      "fail",
      /more than 262144 characters/,
    ],
    [
      "structured_data",
      "a letter that is longer in lower case",
      {
        "/": {
          type: "text/html",
          body: `<html>${"\u0130".repeat(50)}<script type="application/ld+json">{"@type":"A"}</script>`,
        },
      },
      "pass",
      /describes A$/,
    ],
    ...["/.well-known/api-catalog", "/.well-known/mcp/server-card.json", "/.well-known/agent-card.json"].map(
      (path, index): [string, string, Pages, string, RegExp] => [
        ["api_catalog", "mcp_discovery", "agent_card"][index] as string,
        "JSON that is longer than is parsed",
        {
          [path]: {
            type: "application/linkset+json",
            body: `{"linkset":[1],"name":"${"x".repeat(LOOP_JSON_LENGTH_MAX)}"}`,
          },
        },
        "fail",
        /longer than 262144 characters, and is not read/,
      ],
    ),
    ["markdown_negotiation", "HTML all the same", { "/": PAGE }, "missing", /answered as text\/html/],
    [
      "api_catalog",
      "another content type",
      { "/.well-known/api-catalog": { type: "application/json", body: '{"linkset":[1]}' } },
      "fail",
      /content type is application\/json/,
    ],
    [
      "mcp_discovery",
      "something else",
      { "/.well-known/mcp/server-card.json": { body: "[]" } },
      "fail",
      /not a JSON object/,
    ],
    [
      "agent_card",
      "a field missing",
      { "/.well-known/agent-card.json": { body: '{"name":"A"}' } },
      "fail",
      /"description" is missing/,
    ],
    [
      "security_txt",
      "an expired one",
      { "/.well-known/security.txt": { body: "Contact: a\nExpires: 2020-01-01T00:00:00Z" } },
      "fail",
      /expired on/,
    ],
    [
      "security_txt",
      "no Expires",
      { "/.well-known/security.txt": { body: "Contact: a" } },
      "fail",
      /no Expires/,
    ],
    [
      "content_signals",
      "none",
      { "/robots.txt": { body: "User-agent: *\nAllow: /" } },
      "missing",
      /no Content-Signal/,
    ],
    [
      "content_signals",
      "an unknown one",
      { "/robots.txt": { body: "User-agent: *\nContent-Signal: dance=yes" } },
      "fail",
      /"dance" is not a defined signal/,
    ],
  ])("%s: %s", async (id, _, pages, status, summary) => {
    const { finding } = await reportOn({ ...GOOD_SITE, ...pages });
    expect(finding(id)).toMatchObject({ status, summary: expect.stringMatching(summary) });
  });

  it("is part of the sampled runs only, of checks that enable it", async () => {
    const run = async (slotMs: number, enabled: boolean) => {
      const url = await httpServer((_, response) => response.end());
      const config = { url, agentReadiness: { enabled, every: 3 } };
      return expectResult(await runProbe(aRequest(config, { slotMs }), aContext())).detail;
    };
    expect(await run(3 * 60_000, true)).toHaveProperty("agentReadinessJson");
    expect(await run(4 * 60_000, true)).toBeUndefined();
    expect(await run(3 * 60_000, false)).toBeUndefined();
  });

  it("is left out when the target did not answer", async () => {
    const { result } = await reportOn({}, { timeoutMs: 1, url: "http://127.0.0.1:1/" });
    expect(result.status).not.toBe("success");
    expect(result.detail).not.toHaveProperty("agentReadinessJson");
  });

  it("asks as a stranger, without the check's credentials", async () => {
    const seen: (string | undefined)[] = [];
    await reportOn(
      {
        ...GOOD_SITE,
        "/llms.txt": (request) => {
          seen.push(request.headers.authorization);
          return { body: "" };
        },
      },
      { auth: { type: "bearer", token: "secret" } },
    );
    expect(seen).toEqual([undefined]);
  });

  it("is made in little time of pages made to take long", async () => {
    const started = performance.now();
    await reportOn({
      "/": { type: "text/html", body: `<html>${"<script ".repeat(120_000)}` },
      "/llms.txt": { body: "[".repeat(900_000) },
      "/robots.txt": { body: `User-agent: *\nDisallow: /${"*a".repeat(100_000)}\n${"#".repeat(100_000)}` },
      "/sitemap.xml": { body: `<loc>${" ".repeat(900_000)}` },
      "/.well-known/security.txt": { body: `Contact:${" ".repeat(900_000)}` },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe("required probes", () => {
  it("that do not pass fail the run with the reason", async () => {
    const require = ["sitemap", "llms_txt"];
    const { result, report } = await reportOn(
      { ...GOOD_SITE, "/llms.txt": { status: 404 } },
      { agentReadiness: { enabled: true, every: 1, require } },
    );
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(result.detail?.errorMessage).toBe(
      "agent readiness requires llms_txt, which is missing: /llms.txt is not served (status 404)",
    );
    expect(report?.score).toBe(90);
  });

  it("that pass leave the run a success", async () => {
    const { result } = await reportOn(GOOD_SITE, {
      agentReadiness: { enabled: true, every: 1, require: [...readinessProbeTypes.types] },
    });
    expect(result.status).toBe("success");
  });
});

it("scores what was checked, in percent", () => {
  const of = (...statuses: ("pass" | "fail" | "missing" | "skipped")[]) =>
    scoreOf(statuses.map((status) => ({ status })));
  expect(of("pass", "fail", "missing", "skipped")).toBe(33);
  expect(of("skipped")).toBe(0);
  expect(of("pass")).toBe(100);
});
