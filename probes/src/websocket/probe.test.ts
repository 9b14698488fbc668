/** Tests WebSocket checks against real servers of `ws`, and against servers that break the protocol. */
import { createHash } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type net from "node:net";
import type { TlsFacts } from "@svc/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { aContext, expectFault } from "../../test-support/builders.ts";
import { type Authority, anAuthority, type KeyPair } from "../../test-support/certificates.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { closedPort, httpServer, listening, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

const HOST = "127.0.0.1";

const run = (config: Record<string, unknown>, options: Parameters<typeof runOf>[2] = {}) =>
  runOf("websocket", { timeoutMs: 3_000, ...config }, options);

type OnConnection = (webSocket: WebSocket, request: http.IncomingMessage) => void;

/** Starts a real WebSocket server. @returns its URL */
async function webSocketServer(
  onConnection: OnConnection = () => {},
  { server = http.createServer(), ...options }: ServerOptions = {},
): Promise<string> {
  const webSockets = new WebSocketServer({ ...options, server });
  webSockets.on("connection", (webSocket, request) => {
    webSocket.on("error", () => {});
    onConnection(webSocket, request);
  });
  const port = await listening(server as net.Server);
  return `${server instanceof https.Server ? "wss" : "ws"}://${HOST}:${port}/`;
}

/** Starts a server that makes the handshake by hand and then speaks as the test says. @returns its URL */
async function rawWebSocketServer(
  speak: (socket: net.Socket) => void,
  { extraHeaders = "", accept }: { extraHeaders?: string; accept?: string } = {},
): Promise<string> {
  const address = await rawServer((socket) => {
    socket.once("data", (data) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(data))?.[1] ?? "";
      const hash = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept ?? hash}\r\n${extraHeaders}\r\n`,
      );
      speak(socket);
    });
  });
  return `ws://${address}/`;
}

/** Writes one thing after another until the connection is gone. @returns how many bytes were taken */
function flood(socket: net.Socket, part: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on("drain", more);
  more();
}

describe("a WebSocket run", () => {
  it("that opens a connection is a success, with the phases of connection and handshake", async () => {
    const url = await webSocketServer();
    const result = await run({ url }, { request: { keepsAssertions: false } });
    expect(result.status).toBe("success");
    expect(Object.keys(result.phases).sort()).toEqual(["contentTransferUs", "tcpConnectUs", "ttfbUs"]);
    expect(result.detail).toBeUndefined();
    expect(result.httpStatusCode).toBeUndefined();
    expect(result.facts).toBeUndefined();
  });

  it("sends its headers and its message, and closes with code 1000", async () => {
    let seen: http.IncomingHttpHeaders = {};
    const received: string[] = [];
    const closed = new Promise<number>((resolve) => {
      void webSocketServer((webSocket, request) => {
        seen = request.headers;
        webSocket.on("message", (data) => {
          received.push(String(data));
          webSocket.send("first");
          webSocket.send(`pong of ${data}`);
        });
        webSocket.on("close", resolve);
      }).then(async (url) => {
        const headers = { Authorization: "Bearer s3cr3t-token", Origin: "https://app.example" };
        const result = await run({ url, headers, send: "ping", expectContains: "pong" });
        expect(result).toMatchObject({
          status: "success",
          detail: {
            websocketJson: {
              httpStatusCode: 101,
              messages: ["first", "pong of ping"],
              receivedMessages: 2,
              receivedBytes: 17,
            },
          },
        });
      });
    });
    expect(await closed).toBe(1000);
    expect(received).toEqual(["ping"]);
    expect(seen).toMatchObject({
      authorization: "Bearer s3cr3t-token",
      origin: "https://app.example",
      "user-agent": "svc-test/1.0",
    });
    expect(seen["sec-websocket-extensions"]).toBeUndefined();
  });

  it("that expects nothing sends its message nevertheless", async () => {
    const received = await new Promise<string>((resolve) => {
      void webSocketServer((webSocket) => webSocket.on("message", (data) => resolve(String(data)))).then(
        (url) => run({ url, send: "x".repeat(60_000) }),
      );
    });
    expect(received.length).toBe(60_000);
  });

  it("offers its subprotocols, and insists on one of them", async () => {
    const url = await webSocketServer(() => {}, {
      handleProtocols: (offered) => (offered.has("v2") ? "v2" : false),
    });
    const good = await run({ url, subprotocols: ["v3", "v2"] });
    expect(good).toMatchObject({ status: "success", detail: { websocketJson: { subprotocol: "v2" } } });
    const bad = await run({ url, subprotocols: ["v1"] });
    expect(bad).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(bad.detail?.errorMessage).toMatch(/broke the handshake: .*subprotocol/);
  });

  it("sends user name and password of its URL as basic authorization, and hides them", async () => {
    let seen: string | undefined;
    const url = await webSocketServer((webSocket, { headers }) => {
      seen = headers.authorization;
      webSocket.close(1008, "go away, passw0rd");
    });
    const result = await run({ url: url.replace("ws://", "ws://user:passw0rd@"), expectContains: "x" });
    expect(seen).toBe(`Basic ${Buffer.from("user:passw0rd").toString("base64")}`);
    expect(JSON.stringify(result.detail)).not.toContain("passw0rd");
  });

  it("wants one message that both contains and matches what is expected", async () => {
    const url = await webSocketServer((webSocket) => {
      for (const text of ["a 1", "b", "a 2"]) webSocket.send(text);
      webSocket.close(1000, "done");
    });
    expect((await run({ url, expectContains: "a", expectMatches: "2$" })).status).toBe("success");
    const result = await run({ url, expectContains: "b", expectMatches: "\\d" });
    expect(result).toMatchObject({
      status: "failure",
      detail: {
        errorCategory: "assertion",
        websocketJson: { messages: ["a 1", "b", "a 2"], closeCode: 1000 },
      },
    });
    expect(result.detail?.errorMessage).toBe(
      'the server closed the connection (1000: done), and "a 2" does not contain "b"',
    );
  });

  it("reads binary messages, and messages of several fragments, as text", async () => {
    const url = await webSocketServer((webSocket) => {
      webSocket.send(Buffer.from([0, 0xff, 0x41]));
      webSocket.send("grü", { fin: false });
      webSocket.send("ße", { fin: true });
    });
    const result = await run({ url, expectContains: "grüße" });
    expect(result.status).toBe("success");
    expect(JSON.stringify(result.detail)).not.toMatch(/\\u0000/);
  });

  it("whose server says something else and waits is a failure, not a timeout", async () => {
    const url = await webSocketServer((webSocket) => webSocket.send("no"));
    const result = await run({ url, expectContains: "yes", timeoutMs: 300 });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toBe(
      'within 300 ms 1 message came, and of the last one "no" does not contain "yes"',
    );
  });

  it("whose server says nothing is a timeout, in the handshake and behind it", async () => {
    const silent = await run({ url: await webSocketServer(), expectContains: "x", timeoutMs: 200 });
    expect(silent).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    const address = await rawServer(() => {});
    const deaf = await run({ url: `ws://${address}/`, timeoutMs: 200 });
    expect(deaf).toMatchObject({ status: "timeout" });
    expect(deaf.detail?.errorMessage).toMatch(/while waiting for the response/);
  });

  it.each([
    [403, "http", "answered the handshake with HTTP status 403, not with 101"],
    [301, "http", "answered the handshake with HTTP status 301, not with 101"],
    [200, "http", "answered the handshake with HTTP status 200, not with 101"],
  ])("whose handshake is answered with %d is a failure of category %s", async (status, category, words) => {
    const url = await httpServer((_request, response) =>
      response.writeHead(status, { Location: "http://elsewhere.example/" }).end("x".repeat(100_000)),
    );
    const result = await run({ url: url.replace("http", "ws") });
    expect(result).toMatchObject({
      status: "failure",
      detail: { errorCategory: category, websocketJson: { httpStatusCode: status } },
    });
    expect(result.detail?.errorMessage).toContain(words);
  });

  it("against a port where nothing listens is an error of category connect", async () => {
    const result = await run({ url: `ws://${HOST}:${await closedPort()}/` });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
  });

  it("is tried again by its policy", async () => {
    let count = 0;
    const url = await webSocketServer((webSocket) => {
      webSocket.send(++count < 3 ? "busy" : "ready");
      webSocket.close();
    });
    const retry = {
      strategy: "fixed" as const,
      maxRetries: 3,
      baseBackoffSeconds: 1,
      maxDurationSeconds: 60,
      sameLocation: true as const,
    };
    const result = await run(
      { url, expectContains: "ready" },
      { request: { retry }, context: { sleep: async () => {} } },
    );
    expect(result).toMatchObject({ status: "success", detail: { recoveredOnRetry: true } });
    expect(result.detail?.attempts?.map(({ status }) => status)).toEqual(["failure", "failure", "success"]);
  });

  it("is judged by its response time", async () => {
    const url = await webSocketServer((webSocket) => setTimeout(() => webSocket.send("ok"), 40));
    const result = await run({ url, expectContains: "ok", assertions: [{ type: "response_time", max: 5 }] });
    expect(result).toMatchObject({
      status: "failure",
      detail: { assertions: [{ type: "response_time", passed: false, expected: 5 }] },
    });
  });

  it("whose pattern would run for ever ends, and says why", async () => {
    const url = await webSocketServer((webSocket) => webSocket.send("a".repeat(40)));
    const result = await run({ url, expectMatches: "^(a+)+$x", timeoutMs: 10_000 });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/did not finish within 1000 ms/);
  });

  it("that is stopped by its runner is a fault", async () => {
    const url = await webSocketServer();
    const controller = new AbortController();
    const request = aRequestOf("websocket", { url, expectContains: "x" });
    const running = runProbe(request, aContext({ signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect(expectFault(await running).reason).toBe("draining");
  });

  it("may not reach a private address where that is denied, and connects to nothing", async () => {
    let connections = 0;
    const port = (await rawServer(() => connections++)).split(":")[1];
    for (const host of [HOST, "localhost", "[::1]"]) {
      const url = `ws://${host}:${port}/`;
      const result = await run({ url }, { context: { allowPrivateAddresses: false } });
      expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
      expect(result.detail?.errorMessage).toMatch(/is not allowed/);
    }
    expect(connections).toBe(0);
  });

  it("leaves no connection open, not even with a server that does not answer the close", async () => {
    const open = new Set<net.Socket>();
    const server = http.createServer();
    server.on("connection", (socket) => {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    });
    const url = await webSocketServer((webSocket) => webSocket.send("hello"), { server });
    await run({ url });
    await run({ url, expectContains: "hello" });
    await run({ url, expectContains: "nowhere", timeoutMs: 200 });
    await expect.poll(() => open.size).toBe(0);
    let isOpen = false;
    const deaf = await rawWebSocketServer((socket) => {
      isOpen = true;
      socket.pause().on("close", () => {
        isOpen = false;
      });
      socket.resume();
    });
    expect((await run({ url: deaf })).status).toBe("success");
    await expect.poll(() => isOpen, { timeout: 5_000 }).toBe(false);
  });
});

describe("a WebSocket run with TLS", () => {
  let authority: Authority;
  let good: KeyPair;
  beforeAll(async () => {
    authority = await anAuthority();
    good = await authority.issue();
  });

  it("succeeds with a server of the check's own authority, and has the facts of its certificate", async () => {
    const url = await webSocketServer((webSocket) => webSocket.send("ready"), {
      server: https.createServer(good),
    });
    const result = await run({
      url,
      caCertificates: authority.certificate,
      expectContains: "ready",
      assertions: [{ type: "ssl_expiry", daysBeforeExpiry: 14 }],
    });
    expect(result.status).toBe("success");
    expect(result.phases.tlsHandshakeUs).toBeGreaterThan(0);
    expect(result.facts?.tls as TlsFacts).toMatchObject({ host: HOST, isTrusted: true });
    expect(result.detail?.assertions).toMatchObject([{ type: "ssl_expiry", passed: true }]);
    expect(await run({ url })).toMatchObject({
      status: "error",
      detail: { errorCategory: "tls" },
      facts: { tls: { isTrusted: false } },
    });
  });

  it("against a server without TLS is an error of category tls", async () => {
    const url = await webSocketServer();
    expect(await run({ url: url.replace("ws:", "wss:") })).toMatchObject({
      status: "error",
      detail: { errorCategory: "tls" },
    });
  });
});

describe("a server that breaks the protocol", () => {
  it.each<[string, Parameters<typeof rawWebSocketServer>, RegExp]>([
    ["a wrong accept", [() => {}, { accept: "bm8=" }], /broke the handshake: Invalid Sec-WebSocket-Accept/],
    [
      "an extension that was not offered",
      [() => {}, { extraHeaders: "Sec-WebSocket-Extensions: permessage-deflate\r\n" }],
      /broke the handshake: .*extension/,
    ],
    [
      "a subprotocol that was not offered",
      [() => {}, { extraHeaders: "Sec-WebSocket-Protocol: v9\r\n" }],
      /broke the handshake: .*subprotocol/,
    ],
    ["a compressed message", [(socket) => socket.write(Buffer.from([0xc1, 1, 65]))], /RSV1 must be clear/],
    [
      "a masked message",
      [(socket) => socket.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 65]))],
      /MASK must be clear/,
    ],
    [
      "a text that is no UTF-8",
      [(socket) => socket.write(Buffer.from([0x81, 2, 0xc3, 0x28]))],
      /invalid UTF-8/,
    ],
    [
      "a message that says to be huge",
      [(socket) => socket.write(Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]))],
      /Max payload size exceeded/,
    ],
    ["garbage", [(socket) => socket.write(Buffer.alloc(1_000, 0x7f))], /broke the protocol/],
    [
      "fragments without an end",
      [
        (socket) => {
          socket.write(Buffer.from([0x01, 1, 65]));
          flood(socket, Buffer.alloc(16_383, Buffer.from([0x00, 1, 65])));
        },
      ],
      /broke the protocol: (?:Too many|Max payload)/,
    ],
    [
      "pings without an end",
      [(socket) => flood(socket, Buffer.alloc(16_384, Buffer.from([0x89, 0])))],
      /pings/,
    ],
    [
      "pongs without an end",
      [(socket) => flood(socket, Buffer.alloc(16_384, Buffer.from([0x8a, 0])))],
      /pings and pongs/,
    ],
  ])("with %s is an error of category protocol", async (_name, parts, message) => {
    const result = await run({ url: await rawWebSocketServer(...parts), expectContains: "x" });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(result.detail?.errorMessage).toMatch(message);
  });

  it("with messages without an end is cut off after the first 100", async () => {
    const url = await rawWebSocketServer((socket) =>
      flood(socket, Buffer.alloc(16_383, Buffer.from([0x81, 1, 65]))),
    );
    const result = await run({ url, expectContains: "x" });
    expect(result).toMatchObject({
      status: "failure",
      detail: { errorCategory: "assertion", websocketJson: { receivedMessages: 100, receivedBytes: 100 } },
    });
    expect(result.detail?.errorMessage).toMatch(
      /^the first 100 messages have come, and "A" does not contain "x"/,
    );
  });

  it("with long messages keeps 4,096 characters of them", async () => {
    const url = await webSocketServer((webSocket) => {
      for (let count = 0; count < 3; count++) webSocket.send("y".repeat(3_000));
      webSocket.close();
    });
    const { detail } = await run({ url, expectContains: "x" });
    expect(detail?.websocketJson?.messages.map((text) => text.length)).toEqual([3_000, 1_096]);
    expect(detail?.websocketJson).toMatchObject({ receivedMessages: 3, receivedBytes: 9_000 });
  });

  it("that breaks the connection, or ends it without a close, is no success", async () => {
    const reset = await rawWebSocketServer((socket) => setTimeout(() => socket.resetAndDestroy(), 20));
    expect(await run({ url: reset, expectContains: "x" })).toMatchObject({
      status: "error",
      detail: { errorCategory: "connect" },
    });
    const end = await rawWebSocketServer((socket) => socket.end());
    const ended = await run({ url: end, expectContains: "x" });
    expect(ended.status).toBe("failure");
    expect(ended.detail?.errorMessage).toBe("the connection ended without a close, and no message came");
    const address = await rawServer((socket) => socket.on("data", () => socket.end("HTTP/1.1 what\r\n\r\n")));
    expect(await run({ url: `ws://${address}/` })).toMatchObject({
      status: "error",
      detail: { errorCategory: "protocol" },
    });
  });

  it("whose head has no end is an error", async () => {
    const address = await rawServer((socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\n");
      flood(socket, Buffer.from("X-Header: y\r\n".repeat(1_000)));
    });
    const result = await run({ url: `ws://${address}/` });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
  });

  it("that takes nothing of a long message ends the run in time", async () => {
    const url = await rawWebSocketServer((socket) => socket.pause());
    const result = await run({ url, send: "z".repeat(65_000), expectContains: "x", timeoutMs: 300 });
    expect(result.status).toBe("timeout");
  });
});
