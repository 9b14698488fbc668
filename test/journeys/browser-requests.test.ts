/** The requests that a page makes: what their responses said, the trace that they carry, and the certificate they meet. */
import type { IncomingHttpHeaders } from "node:http";
import https from "node:https";
import type { CheckId, LocationId, TlsFacts } from "@svc/contract";
import { traceIdOfRun } from "@svc/contract/trace-id";
import type { BrowserRuntime } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import {
  BROWSER_ADVICE,
  hasBrowser,
  hasSandbox,
  openBrowserRuntime,
  resultOf,
  runBrowserCheck,
  SANDBOX_ADVICE,
} from "../harness/browser.ts";
import { type Site, startSite } from "../harness/site.ts";

let runtime: BrowserRuntime;
let site: Site;
let secure: Site;
/** The headers that each path was asked for with, on any host. */
const seen = new Map<string, IncomingHttpHeaders>();
const own = () => `http://127.0.0.1:${site.port}`;
const thirdParty = () => `http://localhost:${site.port}`;

beforeAll(async () => {
  if (!hasBrowser) return;
  site = await startSite((request, response) => {
    const path = request.url ?? "/";
    seen.set(path, request.headers);
    response.setHeader("access-control-allow-origin", "*");
    if (path.startsWith("/status/")) {
      response.statusCode = Number(path.slice("/status/".length).split(".")[0]);
      response.setHeader("content-type", path.endsWith(".css") ? "text/css" : "text/javascript");
      response.end("// a body that explains\n".repeat(20));
    } else if (path === "/moved") {
      response.writeHead(302, { location: "/" }).end();
    } else {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Shop</title>
<link rel="stylesheet" href="${thirdParty()}/status/404.css">
<script src="${thirdParty()}/status/500.js"></script><script src="${thirdParty()}/status/404.js"></script>
<script src="${own()}/status/503.js"></script>
<script>
  // Synchronous: the load event, with which the run ends, waits for the response.
  const request = new XMLHttpRequest();
  request.open("GET", "${thirdParty()}/status/502.json", false);
  request.send();
</script>`);
    }
  });
  const authority = await anAuthority();
  secure = await startSite(
    https.createServer(await authority.issue(), (_request, response) => response.end("<h1>x</h1>")),
  );
  runtime = openBrowserRuntime();
});

afterAll(async () => {
  if (!hasBrowser) return;
  await runtime.close();
  site.close();
  secure.close();
});

describe.runIf(hasBrowser)(`the requests of a page${BROWSER_ADVICE}`, () => {
  it("have the status that they were answered with, whatever came of the body", async () => {
    const result = resultOf(await runBrowserCheck(runtime, { browserMode: "url", url: `${own()}/` }));
    const requests = result.detail?.networkRequestsJson ?? [];
    const answers = requests.map(({ url, httpStatusCode, errorText }) => [
      url.replace(thirdParty(), "third").replace(own(), "own"),
      httpStatusCode,
      errorText,
    ]);
    expect(answers).toEqual(
      expect.arrayContaining([
        ["own/", 200, undefined],
        ["third/status/500.js", 500, undefined],
        ["third/status/404.js", 404, undefined],
        ["third/status/404.css", 404, undefined],
        ["third/status/502.json", 502, undefined],
        ["own/status/503.js", 503, undefined],
      ]),
    );
  });

  it("are counted by host; those that a host answered with a 5xx are not good", async () => {
    const result = resultOf(await runBrowserCheck(runtime, { browserMode: "url", url: `${own()}/` }));
    const fact = result.facts?.requests as { hosts: { host: string }[] } | undefined;
    expect(fact?.hosts.toSorted((a, b) => a.host.localeCompare(b.host))).toEqual([
      { host: "127.0.0.1", total: 2, good: 1 },
      { host: "localhost", total: 4, good: 2 },
    ]);
  });

  it("carry the run's trace to the origin of the main document, also after a redirect, and to nobody else", async () => {
    seen.clear();
    const result = resultOf(await runBrowserCheck(runtime, { browserMode: "url", url: `${own()}/moved` }));
    expect(result.status).toBe("success");
    expect(result.traceId).toMatch(/^[0-9a-f]{32}$/);
    for (const path of ["/moved", "/", "/status/503.js"])
      expect([path, seen.get(path)?.traceparent]).toEqual([
        path,
        expect.stringMatching(`^00-${result.traceId}-[0-9a-f]{16}-01$`),
      ]);
    for (const path of ["/status/500.js", "/status/502.json"])
      expect([path, seen.has(path), seen.get(path)?.traceparent]).toEqual([path, true, undefined]);
    const next = resultOf(await runBrowserCheck(runtime, { browserMode: "url", url: `${own()}/` }));
    expect(next.traceId).not.toBe(result.traceId);
    seen.clear();
    const locationId = "loc_us_east" as LocationId;
    const stored = resultOf(
      await runBrowserCheck(runtime, { browserMode: "url", url: `${own()}/` }, { locationId }),
    );
    expect(stored.traceId).toBe(traceIdOfRun({ checkId: "chk_1" as CheckId, locationId, slotMs: 0 }));
    expect(seen.get("/")?.traceparent).toContain(stored.traceId);
  });

  it("meet a certificate, whose facts the result has also when the browser refuses it", async () => {
    const url = `https://127.0.0.1:${secure.port}/`;
    const result = resultOf(await runBrowserCheck(runtime, { browserMode: "url", url }));
    expect(result.status).toBe("error");
    const tls = result.facts?.tls as TlsFacts;
    expect(tls).toMatchObject({
      host: "127.0.0.1",
      isTrusted: false,
      subjectAltNames: ["localhost", "127.0.0.1"],
    });
    expect(tls.fingerprintSha256).toMatch(/^[0-9A-F:]{95}$/);
    const plain = resultOf(await runBrowserCheck(runtime, { browserMode: "url", url: `${own()}/` }));
    expect(Object.keys(plain.facts ?? {})).toEqual(["requests"]);
  });
});

describe.runIf(hasSandbox)(`the requests of a script${SANDBOX_ADVICE}`, () => {
  it("carry the trace, from pages that the script opens too", async () => {
    seen.clear();
    const script = `await page.goto("${own()}/a");
const other = await (await browser.newContext()).newPage();
await other.goto("${own()}/b");`;
    const result = resultOf(await runBrowserCheck(runtime, { browserMode: "scripted", script }));
    expect(result.status).toBe("success");
    for (const path of ["/a", "/b"]) expect(seen.get(path)?.traceparent).toContain(result.traceId);
  });
});
