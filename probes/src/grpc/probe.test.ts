/** Tests gRPC checks against the real server of @grpc/grpc-js with its health service, and against servers that break the protocol. */
import http2 from "node:http2";
import type net from "node:net";
import { gzipSync } from "node:zlib";
import grpc from "@grpc/grpc-js";
import type { TlsFacts } from "@svc/contract";
import { HealthImplementation } from "grpc-health-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { aContext, expectFault } from "../../test-support/builders.ts";
import { type Authority, anAuthority, type KeyPair } from "../../test-support/certificates.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { closedPort, httpServer, listening, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

const HOST = "127.0.0.1";

const run = (config: Record<string, unknown>, options: Parameters<typeof runOf>[2] = {}) =>
  runOf("grpc", { host: HOST, timeoutMs: 4_000, ...config }, options);

/** Starts a real gRPC server. @returns its port */
async function grpcServer({
  credentials = grpc.ServerCredentials.createInsecure(),
  hasHealth = true,
  options = {},
}: {
  credentials?: grpc.ServerCredentials;
  hasHealth?: boolean;
  options?: grpc.ServerOptions;
} = {}): Promise<number> {
  const server = new grpc.Server(options);
  if (hasHealth)
    new HealthImplementation({
      "": "SERVING",
      "shop.Cart": "SERVING",
      "shop.Mail": "NOT_SERVING",
      "shop.New": "UNKNOWN",
    }).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${HOST}:0`, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  onTestFinished(() => server.forceShutdown());
  return port;
}

/** Starts a server of HTTP/2 that answers as the test says. @returns its port */
async function http2Server(
  handle: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
): Promise<number> {
  const server = http2.createServer();
  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    handle(stream, headers);
  });
  return listening(server as unknown as net.Server);
}

/** Returns a message with its prefix. */
function framed(message: Uint8Array, { flags = 0, length = message.length } = {}): Buffer {
  const prefix = Buffer.from([flags, 0, 0, 0, 0]);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}
const SERVING = Buffer.from([0x08, 1]);

/** Answers a call as a gRPC server does, but for what is given. */
function answer(
  stream: http2.ServerHttp2Stream,
  {
    headers = {},
    body = [framed(SERVING)],
    trailers = { "grpc-status": "0" },
  }: { headers?: http2.OutgoingHttpHeaders; body?: Buffer[]; trailers?: http2.OutgoingHttpHeaders | null },
) {
  stream.respond(
    { ":status": 200, "content-type": "application/grpc+proto", ...headers },
    { waitForTrailers: trailers !== null },
  );
  if (trailers) stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  for (const part of body) stream.write(part);
  stream.end();
}

describe("a gRPC run", () => {
  it("succeeds with a server that serves, with the phases of its connection and its answer", async () => {
    const result = await run({ host: "localhost", port: await grpcServer() });
    expect(result.status).toBe("success");
    expect(Object.keys(result.phases).sort()).toEqual([
      "contentTransferUs",
      "dnsLookupUs",
      "tcpConnectUs",
      "ttfbUs",
    ]);
    expect(result.detail).toEqual({
      grpcJson: { servingStatus: "SERVING", grpcStatus: "OK", httpStatusCode: 200 },
    });
    expect(result.httpStatusCode).toBeUndefined();
    expect(result.facts).toBeUndefined();
  });

  it("that succeeds has no detail unless it is kept", async () => {
    const result = await run({ port: await grpcServer() }, { request: { keepsAssertions: false } });
    expect(result).toMatchObject({ status: "success" });
    expect(result.detail).toBeUndefined();
  });

  it("asks for the service that it names", async () => {
    const port = await grpcServer();
    expect((await run({ port, service: "shop.Cart" })).status).toBe("success");
    const down = await run({ port, service: "shop.Mail" });
    expect(down).toMatchObject({
      status: "failure",
      detail: {
        errorCategory: "assertion",
        errorMessage: `${HOST}:${port} says that the service "shop.Mail" is NOT_SERVING`,
        grpcJson: { servingStatus: "NOT_SERVING", grpcStatus: "OK" },
      },
    });
    const fresh = await run({ port, service: "shop.New" });
    expect(fresh).toMatchObject({ status: "failure", detail: { grpcJson: { servingStatus: "UNKNOWN" } } });
    const unknown = await run({ port, service: "shop.Absent" });
    expect(unknown).toMatchObject({ status: "failure", detail: { grpcJson: { grpcStatus: "NOT_FOUND" } } });
    expect(unknown.detail?.errorMessage).toMatch(/does not know the health of the service "shop.Absent"/);
  });

  it("with a server that has no health service is a failure that says so", async () => {
    const result = await run({ port: await grpcServer({ hasHealth: false }) });
    expect(result).toMatchObject({
      status: "failure",
      detail: { grpcJson: { grpcStatus: "UNIMPLEMENTED" } },
    });
    expect(result.detail?.errorMessage).toMatch(/does not offer the health protocol/);
  });

  it("sends its metadata, its deadline and its name, and hides secrets that come back", async () => {
    let seen: http2.IncomingHttpHeaders = {};
    const port = await http2Server((stream, headers) => {
      seen = headers;
      answer(stream, {
        body: [],
        trailers: { "grpc-status": "16", "grpc-message": `no%20entry for ${headers.authorization}` },
      });
    });
    const metadata = { Authorization: "Bearer s3cr3t-token", "x-trace-bin": "AAEC" };
    const result = await run({ port, metadata });
    expect(seen).toMatchObject({
      ":path": "/grpc.health.v1.Health/Check",
      ":authority": `${HOST}:${port}`,
      ":scheme": "http",
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-accept-encoding": "identity",
      "user-agent": "svc-test/1.0",
      authorization: "Bearer s3cr3t-token",
      "x-trace-bin": "AAEC",
    });
    const deadlineMs = Number(/^(\d+)m$/.exec(String(seen["grpc-timeout"]))?.[1]);
    expect(deadlineMs).toBeGreaterThan(0);
    expect(deadlineMs).toBeLessThanOrEqual(4_000);
    expect(result).toMatchObject({
      status: "failure",
      detail: { grpcJson: { grpcStatus: "UNAUTHENTICATED" } },
    });
    expect(result.detail?.errorMessage).toMatch(/UNAUTHENTICATED: no entry/);
    expect(JSON.stringify(result.detail)).not.toContain("s3cr3t-token");
  });

  it("whose server is silent is a timeout that names the phase", async () => {
    const result = await run({ port: await http2Server(() => {}), timeoutMs: 200 });
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(/while waiting for the response/);
  });

  it("whose server gives up at the deadline is a timeout", async () => {
    const port = await http2Server((stream) =>
      answer(stream, { body: [], trailers: { "grpc-status": "4", "grpc-message": "deadline" } }),
    );
    expect(await run({ port })).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
  });

  it("against a port where nothing listens is an error of category connect", async () => {
    const result = await run({ port: await closedPort() });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
  });

  it("is tried again by its policy", async () => {
    let count = 0;
    const port = await http2Server((stream) =>
      answer(stream, ++count < 3 ? { body: [framed(Buffer.from([0x08, 2]))] } : {}),
    );
    const retry = {
      strategy: "fixed" as const,
      maxRetries: 3,
      baseBackoffSeconds: 1,
      maxDurationSeconds: 60,
      sameLocation: true as const,
    };
    const result = await run({ port }, { request: { retry }, context: { sleep: async () => {} } });
    expect(result).toMatchObject({ status: "success", detail: { recoveredOnRetry: true } });
    expect(result.detail?.attempts?.map(({ status }) => status)).toEqual(["failure", "failure", "success"]);
  });

  it("is judged by its response time", async () => {
    const port = await http2Server((stream) => setTimeout(() => answer(stream, {}), 30));
    const result = await run({ port, assertions: [{ type: "response_time", max: 5 }] });
    expect(result).toMatchObject({
      status: "failure",
      detail: { assertions: [{ type: "response_time", passed: false, expected: 5 }] },
    });
  });

  it("that is stopped by its runner is a fault", async () => {
    const port = await http2Server(() => {});
    const controller = new AbortController();
    const running = runProbe(
      aRequestOf("grpc", { host: HOST, port }),
      aContext({ signal: controller.signal }),
    );
    setTimeout(() => controller.abort(), 20);
    expect(expectFault(await running).reason).toBe("draining");
  });

  it("may not reach a private address where that is denied, and connects to nothing", async () => {
    let connections = 0;
    const port = Number((await rawServer(() => connections++)).split(":")[1]);
    for (const host of [HOST, "localhost", "::1"]) {
      const result = await run({ host, port }, { context: { allowPrivateAddresses: false } });
      expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
      expect(result.detail?.errorMessage).toMatch(/is not allowed/);
    }
    expect(connections).toBe(0);
  });

  it("leaves no connection open", async () => {
    const open = new Set<net.Socket>();
    const server = http2.createServer();
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      answer(stream, {});
    });
    server.on("connection", (socket: net.Socket) => {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    });
    const port = await listening(server as unknown as net.Server);
    await run({ port });
    await expect.poll(() => open.size).toBe(0);
  });
});

describe("a gRPC run with TLS", () => {
  let authority: Authority;
  let good: KeyPair;
  beforeAll(async () => {
    authority = await anAuthority();
    good = await authority.issue();
  });

  const secure = (pair: KeyPair, clients?: string) =>
    grpcServer({
      credentials: grpc.ServerCredentials.createSsl(
        clients === undefined ? null : Buffer.from(clients),
        [{ private_key: Buffer.from(pair.key), cert_chain: Buffer.from(pair.cert) }],
        clients !== undefined,
      ),
    });

  it("succeeds with a server of the check's own authority, and has the facts of its certificate", async () => {
    const result = await run({
      port: await secure(good),
      tls: true,
      caCertificates: authority.certificate,
      assertions: [{ type: "ssl_expiry", daysBeforeExpiry: 14 }],
    });
    expect(result.status).toBe("success");
    expect(result.phases.tlsHandshakeUs).toBeGreaterThan(0);
    expect(result.facts?.tls as TlsFacts).toMatchObject({ host: HOST, isTrusted: true });
    expect(result.detail?.assertions).toMatchObject([{ type: "ssl_expiry", passed: true }]);
  });

  it("is an error of category tls where the server is not trusted, or speaks no TLS", async () => {
    const untrusted = await run({ port: await secure(good), tls: true });
    expect(untrusted).toMatchObject({
      status: "error",
      detail: { errorCategory: "tls" },
      facts: { tls: { isTrusted: false } },
    });
    const plain = await run({ port: await grpcServer(), tls: true });
    expect(plain).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
  });

  it("shows its certificate to a server that asks for one", async () => {
    const client = await authority.issue({ names: ["client.example"] });
    const port = await secure(good, authority.certificate);
    const common = { port, tls: true, caCertificates: authority.certificate };
    const result = await run({ ...common, clientCertificate: client.cert, clientKey: client.key });
    expect(result.status).toBe("success");
    expect((await run(common)).status).toBe("error");
  });

  it("asked in plain text is an error of category protocol", async () => {
    const result = await run({ port: await secure(good), timeoutMs: 1_500 });
    expect(result.status).toBe("error");
  });
});

describe("a server that breaks the protocol", () => {
  it.each<[string, Parameters<typeof answer>[1], RegExp]>([
    [
      "an HTTP error",
      { headers: { ":status": 503 }, body: [], trailers: null },
      /HTTP status 503, not with gRPC/,
    ],
    [
      "another content type",
      { headers: { "content-type": "text/html" } },
      /of the type text\/html, not with gRPC/,
    ],
    [
      "a content type that only begins alike",
      { headers: { "content-type": "application/grpcx" } },
      /not with gRPC/,
    ],
    ["an encoding that was not offered", { headers: { "grpc-encoding": "gzip" } }, /compressed message/],
    [
      "a compressed message",
      { body: [framed(gzipSync(Buffer.alloc(1 << 20)), { flags: 1 })] },
      /compressed message/,
    ],
    ["a message that is too long", { body: [framed(Buffer.alloc(5_000))] }, /a message of 5000 bytes/],
    [
      "a message that says to be 4 GiB",
      { body: [framed(SERVING, { length: 2 ** 32 - 1 })] },
      /of 4294967295 bytes/,
    ],
    ["two messages", { body: [framed(SERVING), framed(SERVING)] }, /more than one message/],
    ["half a message", { body: [framed(SERVING, { length: 9 })] }, /without a complete message/],
    ["half a prefix", { body: [Buffer.from([0, 0])] }, /without a complete message/],
    ["no message", { body: [] }, /without a complete message/],
    ["no trailers", { trailers: null }, /ended the call without a status/],
    ["trailers without a status", { trailers: { other: "1" } }, /ended the call without a status/],
    ["a message that is none", { body: [framed(Buffer.from([0xff, 0xff]))] }, /is no health/],
  ])("with %s is an error of category protocol", async (_name, parts, message) => {
    const result = await run({ port: await http2Server((stream) => answer(stream, parts)) });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(result.detail?.errorMessage).toMatch(message);
  });

  it("with a status that is none counts as UNKNOWN, with a message wrongly encoded as it stands", async () => {
    const port = await http2Server((stream) =>
      answer(stream, { body: [], trailers: { "grpc-status": "many", "grpc-message": "100%" } }),
    );
    const result = await run({ port });
    expect(result).toMatchObject({
      status: "failure",
      detail: { grpcJson: { grpcStatus: "UNKNOWN", grpcMessage: "100%" } },
    });
  });

  it("with a status of the future is a failure with its number, and with an unknown health, too", async () => {
    const status = await http2Server((stream) =>
      answer(stream, { body: [], trailers: { "grpc-status": "77" } }),
    );
    expect(await run({ port: status })).toMatchObject({
      status: "failure",
      detail: { grpcJson: { grpcStatus: "77" } },
    });
    const health = await http2Server((stream) =>
      answer(stream, { body: [framed(Buffer.from([0x08, 9, 0x12, 1, 65]))] }),
    );
    expect(await run({ port: health })).toMatchObject({
      status: "failure",
      detail: { grpcJson: { servingStatus: "9" } },
    });
  });

  it("that answers with trailers only is understood", async () => {
    const port = await http2Server((stream) =>
      stream.respond(
        {
          ":status": 200,
          "content-type": "application/grpc",
          "grpc-status": "14",
          "grpc-message": "%F0%9F%92%A4",
        },
        { endStream: true },
      ),
    );
    expect(await run({ port })).toMatchObject({
      status: "failure",
      detail: { grpcJson: { grpcStatus: "UNAVAILABLE", grpcMessage: "💤" } },
    });
  });

  it("that sends byte by byte is read as any other", async () => {
    const port = await http2Server((stream) =>
      answer(stream, { body: [...framed(SERVING)].map((byte) => Buffer.of(byte)) }),
    );
    expect((await run({ port })).status).toBe("success");
  });

  it("that sends without an end is cut off", async () => {
    let sent = 0;
    const port = await http2Server((stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      const part = Buffer.alloc(16_384);
      const more = () => {
        while (!stream.destroyed && stream.write(part)) sent += part.length;
      };
      stream.on("drain", more);
      more();
    });
    const result = await run({ port });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it("that sends one interim answer after another is cut off", async () => {
    const port = await http2Server((stream) => {
      for (let count = 0; count < 50; count++)
        stream.additionalHeaders({ ":status": 103, link: `<${count}>` });
    });
    const result = await run({ port });
    expect(result.detail?.errorMessage).toMatch(/one interim answer after another/);
  });

  it.each<[string, (stream: http2.ServerHttp2Stream) => void]>([
    ["breaks the call off", (stream) => stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)],
    ["goes away", (stream) => stream.session?.goaway(http2.constants.NGHTTP2_INTERNAL_ERROR)],
    ["resets the connection", (stream) => stream.session?.destroy()],
    [
      "sends headers beyond measure",
      (stream) => {
        const headers = Array.from({ length: 300 }, (_, index) => [`x-${index}`, "x".repeat(100)]);
        answer(stream, { headers: Object.fromEntries(headers) });
      },
    ],
  ])("that %s makes the run an error", async (_name, handle) => {
    const result = await run({ port: await http2Server(handle), timeoutMs: 2_000 });
    expect(result.status).toBe("error");
    expect(result.detail?.errorMessage).toMatch(/^127\.0\.0\.1:\d+ (?:broke|closed|ended|answered)/);
  });

  it.each<[string, (socket: net.Socket) => void]>([
    ["garbage", (socket) => socket.end(Buffer.from("\0\xff\xfe garbage".repeat(100), "latin1"))],
    ["the end", (socket) => socket.end()],
    ["a reset", (socket) => socket.on("data", () => socket.resetAndDestroy())],
  ])("that answers with %s is an error", async (_name, handle) => {
    const port = Number((await rawServer(handle)).split(":")[1]);
    const result = await run({ port, timeoutMs: 2_000 });
    expect(result.status).toBe("error");
    expect(JSON.stringify(result.detail)).not.toMatch(/\\u0000/);
  });

  it("that speaks HTTP/1.1 is an error of category protocol", async () => {
    const port = Number(new URL(await httpServer((_request, response) => response.end("hi"))).port);
    const result = await run({ port, timeoutMs: 2_000 });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
  });

  it("with headers of any bytes is no fault of the runner", async () => {
    // A HEADERS frame by hand: node:http2 sends no such values. Literal fields without indexing, a status of 200 first.
    const port = Number(
      (
        await rawServer((socket) => {
          const field = (name: string, value: Buffer) =>
            Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), value]);
          const block = Buffer.concat([
            Buffer.of(0x88),
            field("content-type", Buffer.from("application/grpc")),
            field("grpc-status", Buffer.from("2")),
            field("grpc-message", Buffer.from([0xff, 0xc3, 0x28, 0x80, 0x41])),
          ]);
          socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
          socket.write(Buffer.concat([Buffer.from([0, 0, block.length, 1, 5, 0, 0, 0, 1]), block]));
        })
      ).split(":")[1],
    );
    const result = await run({ port, timeoutMs: 2_000 });
    expect(result).toMatchObject({ status: "failure", detail: { grpcJson: { grpcStatus: "UNKNOWN" } } });
  });
});
