/** Tests runs of every check type through a real proxy, and what becomes of runs whose proxy does not do its work. */
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import grpc from "@grpc/grpc-js";
import { type CheckType, checkTypes } from "@svc/contract";
import { createEgress } from "@svc/egress";
import type packet from "dns-packet";
import { HealthImplementation } from "grpc-health-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { aContext, expectResult } from "../../test-support/builders.ts";
import { type Authority, anAuthority, type KeyPair } from "../../test-support/certificates.ts";
import { httpProxy } from "../../test-support/http-proxy.ts";
import { mcpServer } from "../../test-support/mcp-server.ts";
import { httpsNameServer } from "../../test-support/name-server.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { closedPort, httpServer, listening, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { tlsNeedsOf } from "./tls-needs.ts";

const HOST = "127.0.0.1";
let authority: Authority;
let pair: KeyPair;
beforeAll(async () => {
  authority = await anAuthority();
  pair = await authority.issue();
});

/** Starts a target of each kind, and returns the configuration of a check of it and what a proxy is asked for. */
interface Target {
  config: Record<string, unknown>;
  asked: string;
}

const hello: http.RequestListener = (_request, response) => response.end("hello");

async function securePort(answer: http.RequestListener = hello, options: https.ServerOptions = {}) {
  return listening(https.createServer({ ...pair, ...options }, answer));
}

const TARGETS: Record<string, { type: CheckType; start(): Promise<Target> }> = {
  "http, of an http:// URL": {
    type: "http",
    async start() {
      const url = await httpServer(hello);
      return { config: { url: `${url}/a?b=1` }, asked: `GET ${url}/a?b=1` };
    },
  },
  "http, of an https:// URL": {
    type: "http",
    async start() {
      const port = await securePort();
      return { config: { url: `https://${HOST}:${port}/` }, asked: `CONNECT ${HOST}:${port}` };
    },
  },
  "mcp, of an http:// URL": {
    type: "mcp",
    async start() {
      const { endpoint } = await mcpServer();
      return { config: { endpoint, timeoutMs: 5_000 }, asked: `POST ${endpoint}` };
    },
  },
  tcp: {
    type: "tcp",
    async start() {
      const address = await rawServer((socket) => socket.write("220 ready\r\n"));
      const port = Number(address.split(":")[1]);
      return { config: { host: HOST, port, expectContains: "220" }, asked: `CONNECT ${address}` };
    },
  },
  "tcp, with TLS": {
    type: "tcp",
    async start() {
      const port = await listening(tls.createServer(pair, (socket) => socket.end("hi")));
      return {
        config: { host: HOST, port, tls: true, expectContains: "hi" },
        asked: `CONNECT ${HOST}:${port}`,
      };
    },
  },
  tls: {
    type: "tls",
    async start() {
      const port = await securePort();
      return { config: { host: HOST, port }, asked: `CONNECT ${HOST}:${port}` };
    },
  },
  "dns, over https": {
    type: "dns",
    async start() {
      const answers: packet.Answer[] = [{ type: "A", name: "example.com", ttl: 60, data: "192.0.2.1" }];
      const resolver = await httpsNameServer(() => ({ answers }), pair);
      return {
        config: { domain: "example.com", transport: "https", resolver },
        asked: `CONNECT ${new URL(resolver).host}`,
      };
    },
  },
  grpc: {
    type: "grpc",
    async start() {
      const server = new grpc.Server();
      new HealthImplementation({ "": "SERVING" }).addToServer(server);
      const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync(`${HOST}:0`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
          error ? reject(error) : resolve(bound),
        );
      });
      onTestFinished(() => server.forceShutdown());
      return { config: { host: HOST, port }, asked: `CONNECT ${HOST}:${port}` };
    },
  },
  "websocket, of a ws:// URL": {
    type: "websocket",
    async start() {
      const server = http.createServer();
      new WebSocketServer({ server }).on("connection", (webSocket) => webSocket.send("welcome"));
      const port = await listening(server);
      return {
        config: { url: `ws://${HOST}:${port}/`, expectContains: "welcome" },
        asked: `CONNECT ${HOST}:${port}`,
      };
    },
  },
  "websocket, of a wss:// URL": {
    type: "websocket",
    async start() {
      const server = https.createServer(pair);
      new WebSocketServer({ server }).on("connection", (webSocket) => webSocket.send("welcome"));
      const port = await listening(server);
      return {
        config: { url: `wss://${HOST}:${port}/`, expectContains: "welcome" },
        asked: `CONNECT ${HOST}:${port}`,
      };
    },
  },
  multistep: {
    type: "multistep",
    async start() {
      const url = await httpServer(hello);
      const step = { name: "Open", url: `${url}/` };
      return { config: { steps: [step] }, asked: `GET ${url}/` };
    },
  },
};

const trusting = () => ({ context: { caCertificates: [authority.certificate] } });
const NAMES = Object.keys(TARGETS);

it("every check type that can name a proxy is tried with one", () => {
  const able = checkTypes.members.filter((type) => "proxyUrl" in type.monitorFields).map(({ type }) => type);
  const tried = new Set(Object.values(TARGETS).map(({ type }) => type));
  // Browsers take their proxy elsewhere: browser/egress-proxy, and test/journeys.
  expect(able.filter((type) => !tried.has(type))).toEqual(["browser"]);
});

describe.each(NAMES)("a run of type %s", (name) => {
  const { type, start } = TARGETS[name] as (typeof TARGETS)[string];

  it("goes through the proxy, with its credentials, and succeeds", async () => {
    const { config, asked } = await start();
    const proxy = await httpProxy({ credentials: "watch:planted-proxy-password" });
    const named = { ...config, proxyUrl: proxy.url };
    const result = await runOf(
      type,
      { ...named, proxyUsername: "watch", proxyPassword: "planted-proxy-password" },
      trusting(),
    );
    expect(result).toMatchObject({ status: "success" });
    expect(proxy.asked).toContain(asked);
    expect(result.phases.tcpConnectUs).toBeGreaterThan(0);
  });

  it("fails with the proxy's refusal when the credentials are missing or wrong, and shows none", async () => {
    const { config } = await start();
    const proxy = await httpProxy({ credentials: "watch:right" });
    const named = { ...config, proxyUrl: proxy.url };
    const host = new URL(proxy.url).host;
    const without = await runOf(type, named, trusting());
    expect(without).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(without.detail?.errorMessage).toContain(
      `the proxy ${host} wants credentials (407): proxyUsername and proxyPassword`,
    );
    const wrong = await runOf(
      type,
      { ...named, proxyUsername: "watch", proxyPassword: "planted-proxy-password" },
      { ...trusting(), request: { keepsResponse: true } },
    );
    expect(wrong).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(wrong.detail?.errorMessage).toContain(`the proxy ${host} does not accept the credentials (407)`);
    const text = JSON.stringify(wrong);
    expect(text).not.toContain("planted-proxy-password");
    expect(text).not.toContain(Buffer.from("watch:planted-proxy-password").toString("base64"));
  });

  it("says that the proxy can't be reached", async () => {
    const { config } = await start();
    const port = await closedPort();
    const result = await runOf(type, { ...config, proxyUrl: `http://${HOST}:${port}` }, trusting());
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toContain(
      `the proxy can't be reached: connecting to ${HOST}:${port} failed: connection refused at ${HOST}:${port}`,
    );
  });
});

describe("a proxy that", () => {
  const through = async (handle: (socket: net.Socket) => void, timeoutMs = 3_000) => {
    const address = await rawServer(handle);
    const result = await runOf("tcp", { host: HOST, port: 443, timeoutMs, proxyUrl: `http://${address}` });
    return { result, address };
  };

  it.each([
    ["closes at once", "", "connect", "closed the connection without answering (ECONNRESET)"],
    ["closes within its answer", "HTTP/1.1 200 Conn", "connect", "closed the connection without answering"],
    ["speaks something else", "SSH-2.0-x\r\n", "protocol", "did not answer with valid HTTP (HPE_"],
    ["refuses", "HTTP/1.1 403 No\r\n\r\n", "connect", "refused to connect to 127.0.0.1:443 (403)"],
    ["can't connect", "HTTP/1.1 502 No\r\n\r\n", "connect", "could not connect to 127.0.0.1:443 (502)"],
    ["gives up", "HTTP/1.1 504 No\r\n\r\n", "connect", "could not connect to 127.0.0.1:443 (504)"],
    ["sends a long head", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, "protocol", "HPE_HEADER"],
  ])("%s is named as the reason", async (_title, answer, errorCategory, message) => {
    const { result, address } = await through((socket) => socket.once("data", () => socket.end(answer)));
    expect(result).toMatchObject({ status: "error", detail: { errorCategory } });
    expect(result.detail?.errorMessage).toContain(`the proxy ${address}`);
    expect(result.detail?.errorMessage).toContain(message);
  });

  it("does not answer is named in the timeout", async () => {
    const { result, address } = await through(() => {}, 150);
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toBe(
      `no complete response from ${HOST}:443 within 150 ms: the time ran out while waiting for the proxy ${address} to connect`,
    );
  });

  it("can't be trusted with more than one target is asked anew for each redirect", async () => {
    const port = await securePort();
    const first = await httpServer((_request, response) =>
      response.writeHead(302, { location: `https://${HOST}:${port}/` }).end(),
    );
    const proxy = await httpProxy();
    const result = await runOf("http", { url: first, proxyUrl: proxy.url }, trusting());
    expect(result).toMatchObject({ status: "success", httpStatusCode: 200 });
    expect(proxy.asked).toEqual([`GET ${first}/`, `CONNECT ${HOST}:${port}`]);
  });

  it("sends what the target said first behind its answer loses none of it", async () => {
    const { result } = await through((socket) =>
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\n220 early\r\n")),
    );
    expect(result.status).toBe("success");
    const address = await rawServer((socket) =>
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\n220 early\r\n")),
    );
    const config = { host: HOST, port: 25, proxyUrl: `http://${address}`, expectContains: "220 early" };
    expect((await runOf("tcp", config)).status).toBe("success");
  });
});

describe("the egress policy", () => {
  const names: Record<string, string> = {
    "public.test": "192.88.98.1",
    "inside.test": "10.0.0.7",
    "proxy.test": "192.88.98.2",
  };
  const egressOf = (allowPrivate: boolean, dialled: string[]) =>
    createEgress({
      allowPrivate,
      resolve: async (name) => {
        const address = names[name];
        if (address === undefined) throw Object.assign(new Error(name), { code: "ENOTFOUND" });
        return [{ address, family: 4 }];
      },
      connect: ({ host }) => {
        dialled.push(host);
        const socket = new net.Socket();
        process.nextTick(() => socket.destroy(Object.assign(new Error("x"), { code: "ECONNREFUSED" })));
        return socket;
      },
    });
  const runWith = async (config: Record<string, unknown>, allowPrivate: boolean) => {
    const dialled: string[] = [];
    const request = aRequestOf("http", { timeoutMs: 3_000, ...config });
    const result = expectResult(
      await runProbe(request, aContext({ egress: egressOf(allowPrivate, dialled) })),
    );
    return { message: result.detail?.errorMessage ?? "", dialled };
  };

  it.each([
    ["a target of a private address", "http://10.0.0.7/", "a private address"],
    ["this machine by its name", "http://localhost/", "it names this machine"],
    ["a name with a private address", "https://inside.test/", "a private address"],
    ["a metadata service", "http://169.254.169.254/", "metadata service"],
    ["a name that is not known here", "https://unknown.test/", "unknown.test has no address in DNS"],
  ])("refuses %s behind a proxy, where private addresses are denied", async (_title, url, reason) => {
    const { message, dialled } = await runWith({ url, proxyUrl: "http://proxy.test:3128" }, false);
    expect(message).toContain(reason);
    expect(dialled).toEqual([]);
  });

  it.each([
    ["at a private address", "http://10.0.0.9:3128", "a private address"],
    ["that is this machine", "http://127.0.0.1:3128", "a loopback address"],
    ["whose name has a private address", "http://inside.test:3128", "a private address"],
  ])("refuses a proxy %s, where private addresses are denied", async (_title, proxyUrl, reason) => {
    const { message, dialled } = await runWith({ url: "https://public.test/", proxyUrl }, false);
    expect(message).toContain("the proxy can't be reached: connecting to");
    expect(message).toContain(reason);
    expect(dialled).toEqual([]);
  });

  it.each([
    [
      "a metadata service by its address",
      { url: "http://169.254.169.254/", proxyUrl: "http://proxy.test:3128" },
    ],
    [
      "a metadata service by its name",
      { url: "https://metadata.google.internal/", proxyUrl: "http://proxy.test:3128" },
    ],
    ["a metadata service as the proxy", { url: "http://public.test/", proxyUrl: "http://169.254.169.254" }],
  ])("refuses %s also where private addresses are allowed", async (_title, config) => {
    const { message, dialled } = await runWith(config, true);
    expect(message).toContain("metadata service");
    expect(dialled).toEqual([]);
  });

  it("refuses a name of a metadata service's address also where private addresses are allowed", async () => {
    names["hidden.test"] = "169.254.169.254";
    const { message, dialled } = await runWith(
      { url: "https://hidden.test/", proxyUrl: "http://proxy.test" },
      true,
    );
    expect(message).toContain("metadata service");
    expect(dialled).toEqual([]);
  });

  it("dials the proxy alone for a target that it allows", async () => {
    const { dialled } = await runWith(
      { url: "https://public.test/", proxyUrl: "http://proxy.test:3128" },
      false,
    );
    expect(dialled).toEqual([names["proxy.test"]]);
  });

  it("leaves a name that only the proxy knows to it, where private addresses are allowed", async () => {
    const proxy = await httpProxy({ hosts: { "intranet.test": HOST } });
    const target = await httpServer(hello);
    const url = `http://intranet.test:${new URL(target).port}/`;
    const egress = createEgress({
      allowPrivate: true,
      resolve: async () => {
        throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
      },
    });
    const request = aRequestOf("http", { url, proxyUrl: proxy.url });
    expect(await runProbe(request, aContext({ egress }))).toMatchObject({ status: "success" });
  });

  it("remembers what a server needs for those who reach it through the same proxy alone", async () => {
    const proxy = await httpProxy({ hosts: { "victim.test": HOST } });
    const port = await listening(http2.createSecureServer({ ...pair, allowHTTP1: false }));
    const egress = createEgress({
      allowPrivate: true,
      resolve: async () => {
        throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
      },
    });
    const request = aRequestOf("http", { url: `https://victim.test:${port}/`, proxyUrl: proxy.url });
    await runProbe(request, aContext({ egress }));
    expect(tlsNeedsOf(`victim.test:${port} by ${new URL(proxy.url).host}`).h2).toBe(true);
    expect(tlsNeedsOf(`victim.test:${port}`)).toEqual({ h2: false, isLegacy: false });
  });
});
