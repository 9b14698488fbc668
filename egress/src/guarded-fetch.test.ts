import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEgress } from "./egress.ts";
import { EgressDenied } from "./egress-denied.ts";
import { fetchGuarded } from "./guarded-fetch.ts";
import type { GuardedRequest } from "./guarded-request.ts";

const egress = createEgress({ allowPrivate: true });
const LIMITS = { maxBytes: 1_000, timeoutMs: 10_000, maxRedirects: 3 };

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A server that records requests; `answer` writes the response. */
async function aServer(answer: (seen: Seen, response: http.ServerResponse) => void) {
  const requests: Seen[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const seen = { method: request.method, url: request.url, headers: request.headers, body };
      requests.push(seen);
      answer(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const load = (url: string, request: Partial<GuardedRequest> = {}) =>
  fetchGuarded(egress, url, { ...LIMITS, ...request });

describe("fetchGuarded", () => {
  it("returns status, headers and body of any answer", async () => {
    const { url, requests } = await aServer((_, response) =>
      response.writeHead(404, { "X-A": "b" }).end("none"),
    );
    const answer = await load(`${url}/x?y=1`, { method: "POST", body: "text", headers: { "X-B": "c" } });
    expect(answer).toMatchObject({ url: `${url}/x?y=1`, status: 404, headers: { "x-a": "b" } });
    expect(answer.body.toString()).toBe("none");
    expect(requests).toMatchObject([
      { method: "POST", url: "/x?y=1", body: "text", headers: { "x-b": "c" } },
    ]);
  });

  it("does not wait for a lookup beyond its time limit", async () => {
    const silent = createEgress({ allowPrivate: true, resolve: () => new Promise(() => {}) });
    await expect(
      fetchGuarded(silent, "http://name.test/", { ...LIMITS, timeoutMs: 20 }),
    ).rejects.toMatchObject({ reason: "timeout" });
  });

  it("refuses a document that is too large", async () => {
    const { url } = await aServer((_, response) => response.end("x".repeat(1_001)));
    await expect(load(url)).rejects.toMatchObject({
      reason: "too_large",
      message: expect.stringMatching(/larger than 1000 bytes/),
    });
    await expect(load(url, { maxBytes: 1_001 })).resolves.toMatchObject({ status: 200 });
  });

  it("gives up when the time is over, also while the body trickles", async () => {
    const { url } = await aServer((_, response) => response.write("x"));
    await expect(load(url, { timeoutMs: 100 })).rejects.toMatchObject({ reason: "timeout" });
  });

  it("ends when the caller's signal aborts", async () => {
    const { url } = await aServer(() => {});
    const controller = new AbortController();
    const loading = load(url, { signal: controller.signal });
    controller.abort(new Error("stop"));
    await expect(loading).rejects.toThrow("stop");
  });

  it("keeps credentials within the origin and drops them beyond it", async () => {
    const other = await aServer((_, response) => response.end("there"));
    const home = await aServer(({ url }, response) =>
      response.writeHead(302, { Location: url === "/start" ? "/next" : `${other.url}/end` }).end(),
    );
    const headers = { Authorization: "Bearer x", Cookie: "a=b", "X-Key": "secret", "X-Plain": "yes" };
    await load(`${home.url}/start`, { headers, sensitiveHeaders: ["x-key"] });
    expect(home.requests[1]?.headers).toMatchObject({ authorization: "Bearer x", "x-key": "secret" });
    const beyond = other.requests[0]?.headers;
    expect(beyond).toMatchObject({ "x-plain": "yes" });
    for (const name of ["authorization", "cookie", "x-key"]) expect(beyond).not.toHaveProperty(name);
  });

  it("turns a POST into a GET after 303 and keeps it after 307", async () => {
    const { url, requests } = await aServer((seen, response) => {
      if (seen.url === "/end") response.end();
      else response.writeHead(Number(seen.url?.slice(1)), { Location: "/end" }).end();
    });
    await load(`${url}/303`, { method: "POST", body: "b" });
    await load(`${url}/307`, { method: "POST", body: "b" });
    expect(requests.map(({ method, url: path, body }) => `${method} ${path} ${body}`)).toEqual([
      "POST /303 b",
      "GET /end ",
      "POST /307 b",
      "POST /end b",
    ]);
  });

  it("judges every redirect by the policy", async () => {
    const { url } = await aServer((_, response) =>
      response.writeHead(302, { Location: "http://169.254.169.254/latest" }).end(),
    );
    await expect(load(url)).rejects.toThrow(EgressDenied);
  });

  it("stops after the redirects it may follow, and follows none when asked not to", async () => {
    const { url, requests } = await aServer((_, response) =>
      response.writeHead(302, { Location: "/" }).end(),
    );
    await expect(load(url)).rejects.toMatchObject({ reason: "too_many_redirects" });
    expect(requests).toHaveLength(4);
    expect(await load(url, { maxRedirects: 0 })).toMatchObject({ status: 302 });
  });

  it("refuses credentials in the URL when asked to, also in a redirect, and repeats none of them", async () => {
    const { url } = await aServer((_, response) =>
      response.writeHead(302, { Location: url.replace("//", "//user:hunter2@") }).end(),
    );
    const refuse = { refuseCredentialsInUrl: true };
    for (const target of [url.replace("//", "//user:hunter2@"), url]) {
      const error = await load(target, refuse).catch((caught: Error) => caught);
      expect(error).toMatchObject({ reason: "credentials_in_url" });
      expect((error as Error).message).not.toContain("hunter2");
    }
  });

  it("says what is wrong with a URL or a network", async () => {
    await expect(load("no url")).rejects.toMatchObject({ reason: "invalid_url" });
    await expect(load("file:///etc/passwd")).rejects.toThrow(EgressDenied);
    await expect(load("http://127.0.0.1:1/x?token=1")).rejects.toMatchObject({
      reason: "network",
      message: "http://127.0.0.1:1/x could not be loaded: connection refused at 127.0.0.1:1",
    });
  });
});
