import type http from "node:http";
import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { httpServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

async function run(config: { url: string } & Record<string, unknown>) {
  return expectResult(await runProbe(aRequest(config), aContext()));
}

describe("redirects", () => {
  const routes = (
    table: Record<string, (request: http.IncomingMessage, response: http.ServerResponse) => void>,
  ) =>
    httpServer((request, response) => {
      const handle = table[request.url ?? ""];
      if (handle) handle(request, response);
      else response.writeHead(404).end();
    });
  const to =
    (location: string, status = 302, headers: http.OutgoingHttpHeaders = {}) =>
    (_: http.IncomingMessage, response: http.ServerResponse) =>
      response.writeHead(status, { Location: location, ...headers }).end("moved");

  it("are followed, with cookies, and their time adds up", async () => {
    const url = await routes({
      "/": to("/two", 302, { "Set-Cookie": ["s=1; Path=/", "t=2"] }),
      "/two": to("/three", 307),
      "/three": (request, response) => response.end(request.headers.cookie),
    });
    const result = await run({ url, assertions: [{ type: "body_contains", value: "s=1; t=2" }] });
    expect(result.status).toBe("success");
  });

  it("are not followed when the check says so", async () => {
    const url = await routes({ "/": to("/two") });
    const result = await run({
      url,
      followRedirects: false,
      assertions: [{ type: "body_contains", value: "moved" }],
    });
    expect(result).toMatchObject({ status: "success", httpStatusCode: 302 });
  });

  it("beyond maxRedirects are a failure that says where they would lead", async () => {
    const url = await routes({ "/": to("/a"), "/a": to("/b"), "/b": (_, response) => response.end() });
    expect((await run({ url, maxRedirects: 2 })).status).toBe("success");
    const result = await run({ url, maxRedirects: 1 });
    expect(result).toMatchObject({
      status: "failure",
      httpStatusCode: 302,
      detail: { errorCategory: "http" },
    });
    expect(result.detail?.errorMessage).toBe(
      `more than 1 redirects (maxRedirects); the next would lead to ${url}/b`,
    );
  });

  it("that lead nowhere are a failure", async () => {
    const url = await routes({ "/": to("gopher://x") });
    expect(await run({ url })).toMatchObject({ status: "failure", detail: { errorCategory: "http" } });
  });

  it("never reach a denied address", async () => {
    const url = await routes({ "/": to("http://169.254.169.254/latest/meta-data/") });
    const result = await run({ url });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(
      /169\.254\.169\.254 is not allowed: it belongs to a cloud metadata/,
    );
  });

  it("share one time limit", async () => {
    const url = await routes({ "/": (_, response) => void setTimeout(() => to("/")(_, response), 60) });
    const result = await run({ url, timeoutMs: 150, maxRedirects: 20 });
    expect(result.status).toBe("timeout");
  });
});
