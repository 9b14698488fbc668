import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { httpServer, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import type { ProbeContext } from "../run/probe.ts";
import { BODY_BYTES_MAX } from "./response.ts";

async function run(config: { url: string } & Record<string, unknown>, context: Partial<ProbeContext> = {}) {
  return expectResult(await runProbe(aRequest(config), aContext(context)));
}

/** A server that answers every request with these bytes and then does as the test says. */
function answering(text: string | Buffer, then: "end" | "hold" | "reset" = "end") {
  return rawServer((socket) => {
    socket.once("data", () => {
      socket.write(text);
      if (then === "end") socket.end();
      if (then === "reset") setImmediate(() => socket.resetAndDestroy());
    });
  });
}

/** Sends the request back as the body, head and all, and hands it over: the result hides the credentials in it. */
async function echoServer(onRequest: (text: string) => void): Promise<string> {
  const host = await rawServer((socket) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0 || received.length < headEnd + 4 + length) return;
      onRequest(received);
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${received.length}\r\n\r\n${received}`);
    });
  });
  return `http://${host}/path?q=1#part`;
}

async function sentBy(config: Record<string, unknown>): Promise<string> {
  let sent = "";
  const url = await echoServer((text) => {
    sent = text;
  });
  await run({ url, assertions: [{ type: "status_code", value: 0 }], ...config });
  return sent.replace(/127\.0\.0\.1:\d+/, "HOST");
}

describe("the request", () => {
  it("is what the check says, on a connection of its own", async () => {
    const request = await sentBy({ method: "POST", headers: { "X-A": "b" }, body: "grüß" });
    expect(request).toMatch(/^POST \/path\?q=1 HTTP\/1\.1\r\nHost: HOST\r\n/);
    expect(request).toMatch(/\r\nX-A: b\r\n/);
    expect(request).toMatch(/\r\nUser-Agent: svc-test\/1\.0\r\n/);
    expect(request).toMatch(/\r\nConnection: close\r\n/);
    expect(request).toMatch(/\r\nContent-Length: 6\r\n/);
    expect(request).not.toMatch(/part/);
  });

  it.each([
    [
      "basic",
      { type: "basic", username: "u:é", password: "p" },
      `Authorization: Basic ${Buffer.from("u:é:p").toString("base64")}`,
    ],
    ["bearer", { type: "bearer", token: "t" }, "Authorization: Bearer t"],
    ["api-key", { type: "api-key", value: "v" }, "X-API-Key: v"],
    ["api-key by another header", { type: "api-key", header: "X-K", value: "v" }, "X-K: v"],
  ])("carries %s credentials", async (_, auth, line) => {
    expect(await sentBy({ auth })).toContain(`\r\n${line}\r\n`);
  });

  it("carries the credentials of its URL", async () => {
    let sent = "";
    const echo = await echoServer((text) => {
      sent = text;
    });
    const url = echo.replace("//", "//us%40er:p%ZZ@");
    const result = await run({ url, assertions: [{ type: "status_code", value: 0 }] });
    const basic = Buffer.from("us@er:p%ZZ").toString("base64");
    expect(sent).toContain(`Authorization: Basic ${basic}`);
    expect(result.detail?.response?.url).not.toContain("p%ZZ");
  });

  it("lets the check override Host, User-Agent and traceparent, but not the framing", async () => {
    const traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01";
    const request = await sentBy({
      headers: {
        host: "virtual.example",
        "user-agent": "mine",
        traceparent,
        "content-length": "99",
        "Transfer-Encoding": "chunked",
      },
    });
    expect(request).toMatch(/\r\nHost: virtual\.example\r\n/);
    expect(request).toMatch(/\r\nuser-agent: mine\r\n/);
    expect(request.match(/host:/gi)).toHaveLength(1);
    expect(request.match(/traceparent:/gi)).toHaveLength(1);
    expect(request).not.toMatch(/content-length|chunked/i);
  });

  it.each([
    ["GET", undefined, ""],
    ["HEAD", undefined, ""],
    ["POST", "4", "body"],
    ["DELETE", "4", "body"],
  ])("%s carries the check's body only where one belongs", async (method, length, body) => {
    let seen: [string | undefined, string] | undefined;
    const url = await httpServer(async (request, response) => {
      let received = "";
      for await (const chunk of request) received += chunk;
      seen = [request.headers["content-length"], received];
      response.end();
    });
    const result = expectResult(await runProbe(aRequest({ url, method, body: "body" }), aContext()));
    expect(result.status).toBe("success");
    expect(seen).toEqual([length, body]);
  });

  it("POST without a body says that there is none", async () => {
    expect(await sentBy({ method: "POST" })).toMatch(/\r\nContent-Length: 0\r\n/);
  });
});

describe("the response", () => {
  it.each([
    ["HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", 200],
    ["204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", 204],
    ["304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", 304],
    ["no length, ended by closing", "GET", "HTTP/1.0 200 OK\r\n\r\nbody", 200],
    ["chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", 200],
    [
      "early hints first",
      "GET",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      200,
    ],
    ["no reason phrase", "GET", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200],
  ])("%s is complete", async (_, method, text, status) => {
    const result = await run({ url: `http://${await answering(text)}/`, method });
    expect(result).toMatchObject({ status: "success", httpStatusCode: status });
  });

  it.each<[string, string | Buffer, "end" | "hold" | "reset", Record<string, unknown>]>([
    [
      "nothing, then the end",
      "",
      "end",
      { errorCategory: "connect", errorMessage: /closed the connection without answering/ },
    ],
    [
      "nothing, then a reset",
      "",
      "reset",
      { errorCategory: "connect", errorMessage: /closed the connection without answering/ },
    ],
    [
      "another protocol",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "end",
      { errorCategory: "protocol", errorMessage: /did not answer with valid HTTP/ },
    ],
    ["garbage", Buffer.from([0, 1, 2, 255, 254]), "end", { errorCategory: "protocol" }],
    ["half a head", "HTTP/1.1 200 OK\r\nX-A: b", "end", { errorCategory: "connect" }],
    [
      "less body than announced",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
      "end",
      { errorCategory: "connect", errorMessage: /after 4 bytes of the body, before its end/ },
    ],
    [
      "a broken chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "end",
      { errorCategory: "protocol" },
    ],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
      "end",
      { errorCategory: "protocol" },
    ],
    [
      "a switch of protocols",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
      "hold",
      { errorCategory: "protocol", errorMessage: /switched protocols/ },
    ],
  ])("that is %s is an error", async (_, text, then, wanted) => {
    const result = await run({ url: `http://${await answering(text, then)}/`, timeoutMs: 5_000 });
    expect(result.status).toBe("error");
    expect(result.detail?.errorCategory).toBe(wanted.errorCategory);
    if (wanted.errorMessage) expect(result.detail?.errorMessage).toMatch(wanted.errorMessage as RegExp);
  });

  it("keeps what came of a body that broke off", async () => {
    const host = await answering("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 10\r\n\r\nhalf");
    const result = await run({ url: `http://${host}/` });
    expect(result).toMatchObject({
      httpStatusCode: 200,
      detail: { response: { body: "half", headers: { "x-a": "b" } } },
    });
  });

  it.each<[string, string, RegExp]>([
    ["while waiting for the response", "", /waiting for the response/],
    ["in the middle of the head", "HTTP/1.1 200 OK\r\nX-", /waiting for the response/],
    [
      "in the middle of the body",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      /reading the response body/,
    ],
  ])("that hangs %s is a timeout that says so", async (_, text, message) => {
    const result = await run({ url: `http://${await answering(text, "hold")}/`, timeoutMs: 150 });
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(message);
    expect(result.responseTimeUs).toBeGreaterThanOrEqual(149_000);
  });

  it.each<[string, string]>([
    ["one", `X-A: ${"x".repeat(1_000)}`],
    ["many", "X-A: b\r\n"],
  ])("with endless headers (%s) is refused", async (_, piece) => {
    const host = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const pour = () => {
        while (!socket.destroyed && socket.write(piece.repeat(100)));
      };
      socket.on("drain", pour);
      pour();
    });
    const result = await run({ url: `http://${host}/`, timeoutMs: 10_000 });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(result.detail?.errorMessage).toMatch(/more than 65536 bytes of headers/);
  });

  it("with an endless body is read up to the cap, which the result states", async () => {
    let isClosed: Promise<unknown> | undefined;
    const host = await rawServer((socket) => {
      isClosed = new Promise((resolve) => socket.on("close", resolve));
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const block = Buffer.alloc(256 * 1024, "x");
      const pour = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on("drain", pour);
      pour();
    });
    const result = await run({ url: `http://${host}/`, assertions: [{ type: "body_contains", value: "y" }] });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(new RegExp(`the first ${BODY_BYTES_MAX} bytes`));
    expect(result.detail?.notes).toEqual([expect.stringMatching(/no more were read/)]);
    expect(result.detail?.response).toMatchObject({ wasTruncated: true, bodyBytes: BODY_BYTES_MAX });
    expect(result.detail?.response?.body).toHaveLength(64 * 1024);
    await isClosed;
  });

  it("is shown from its beginning also when nothing looked into it", async () => {
    const text = `begin ${"x".repeat(500_000)}`;
    for (const body of [Buffer.from(text), zlib.gzipSync(text, { level: 0 })]) {
      const headers = body.length === text.length ? {} : { "Content-Encoding": "gzip" };
      const url = await httpServer((_, response) => response.writeHead(500, headers).end(body));
      const { detail } = await run({ url, assertions: [{ type: "status_code", value: 200 }] });
      expect(detail?.response).toMatchObject({ bodyBytes: body.length, wasTruncated: true });
      expect(detail?.response?.body).toBe(text.slice(0, detail?.response?.body.length));
      expect(detail?.response?.body.length).toBeGreaterThan(60_000);
      expect(detail?.notes).toBeUndefined();
    }
  });

  it("is shown decoded and cut to 64 KiB when the run fails", async () => {
    const text = "ü".repeat(50_000);
    const url = await httpServer((_, response) =>
      response.writeHead(500, { "Content-Encoding": "br" }).end(zlib.brotliCompressSync(text)),
    );
    const { detail } = await run({ url, assertions: [{ type: "status_code", value: 200 }] });
    expect(detail?.response).toMatchObject({ bodyBytes: 100_000, wasTruncated: true });
    expect(detail?.response?.body).toBe("ü".repeat(32 * 1024));
  });

  it.each([
    ["by its header", "text/plain; charset=windows-1252", Buffer.from([0x80])],
    [
      "by its byte order mark",
      "text/plain; charset=us-ascii",
      Buffer.from([0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac]),
    ],
    ["by its meta element", "text/html", Buffer.from('<meta charset="iso-8859-15">\xa4', "latin1")],
    ["as UTF-8 by default", "application/json", Buffer.from("€")],
    ["as UTF-8 when the charset is unknown", "text/plain; charset=martian", Buffer.from("€")],
    ["in UTF-16", "text/plain; charset=utf-16le", Buffer.from("€", "utf16le")],
  ])("is read %s", async (_, type, body) => {
    const url = await httpServer((_request, response) => response.setHeader("Content-Type", type).end(body));
    const result = await run({ url, assertions: [{ type: "body_contains", value: "€" }] });
    expect(result.status).toBe("success");
  });
});
