/** Tests TCP checks against real servers on loopback: what they measure, how they judge, and what a server can't do to them. */
import net from "node:net";
import tls from "node:tls";
import type { TlsFacts } from "@svc/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { aContext, expectFault } from "../../test-support/builders.ts";
import { type Authority, anAuthority, type KeyPair } from "../../test-support/certificates.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { closedPort, listening, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

const HOST = "127.0.0.1";

/** Starts a server that speaks as the test says. @returns its port */
async function speaking(handle: (socket: net.Socket) => void): Promise<number> {
  return Number((await rawServer(handle)).split(":")[1]);
}

const run = (config: Record<string, unknown>, options: Parameters<typeof runOf>[2] = {}) =>
  runOf("tcp", { host: HOST, timeoutMs: 2_000, ...config }, options);

describe("a TCP run", () => {
  it("that connects is a success with the phase of the connection alone, and no detail", async () => {
    const port = await speaking(() => {});
    const result = await run({ port }, { request: { keepsAssertions: false } });
    expect(result.status).toBe("success");
    expect(Object.keys(result.phases)).toEqual(["tcpConnectUs"]);
    expect(result.detail).toBeUndefined();
    expect(result.httpStatusCode).toBeUndefined();
    expect(result.facts).toBeUndefined();
  });

  it("measures lookup, connection, first byte and the rest as phases of their own", async () => {
    const port = await speaking((socket) => {
      setTimeout(() => socket.write("220 mail"), 30);
      setTimeout(() => socket.write(" ready\r\n"), 60);
    });
    const result = await run({ host: "localhost", port, expectContains: "ready" });
    const { phases, responseTimeUs, elapsedUs } = result;
    expect(result.status).toBe("success");
    expect(Object.keys(phases).sort()).toEqual([
      "contentTransferUs",
      "dnsLookupUs",
      "tcpConnectUs",
      "ttfbUs",
    ]);
    expect(phases.ttfbUs).toBeGreaterThanOrEqual(20_000);
    const sum = Object.values(phases).reduce((total, us) => total + us, 0);
    expect(sum).toBeLessThanOrEqual(responseTimeUs + 5);
    expect(responseTimeUs).toBeLessThanOrEqual(elapsedUs);
  });

  it("sends its text, and shows the answer as evidence where it is kept", async () => {
    const seen: string[] = [];
    const port = await speaking((socket) =>
      socket.on("data", (data) => {
        seen.push(String(data));
        socket.write("+PONG\r\n");
      }),
    );
    const result = await run({ port, send: "PING\r\n", expectMatches: "^\\+PO[A-Z]+" });
    expect(seen).toEqual(["PING\r\n"]);
    expect(result).toMatchObject({
      status: "success",
      detail: { tcpJson: { received: "+PONG\r\n", receivedBytes: 7 } },
    });
  });

  it("that expects nothing still sends its text before it hangs up", async () => {
    let received = "";
    const ended = new Promise<void>((resolve) => {
      void speaking((socket) => {
        socket.on("data", (data) => {
          received += data;
        });
        socket.on("end", resolve);
      }).then((port) => run({ port, send: "metric 1\n".repeat(5_000) }));
    });
    await ended;
    expect(received).toBe("metric 1\n".repeat(5_000));
  });

  it.each([
    [
      "what came does not contain the text",
      { expectContains: "220" },
      /"554 no service\s*" does not contain "220"/,
    ],
    ["what came does not match", { expectMatches: "^220 " }, /does not match the pattern \^220 /],
    [
      "one of both is missing",
      { expectContains: "554", expectMatches: "^220" },
      /does not match the pattern/,
    ],
  ])("whose server closes is a failure when %s", async (_, expected, message) => {
    const port = await speaking((socket) => socket.end("554 no service\r\n"));
    const result = await run({ port, ...expected });
    expect(result).toMatchObject({
      status: "failure",
      detail: { errorCategory: "assertion", tcpJson: { received: "554 no service\r\n", receivedBytes: 16 } },
    });
    expect(result.detail?.errorMessage).toMatch(message);
    expect(result.detail?.errorMessage).toMatch(/^the server closed the connection/);
  });

  it("whose server says something else and waits is a failure, not a timeout", async () => {
    const port = await speaking((socket) => socket.write("554 no\r\n"));
    const result = await run({ port, expectContains: "220", timeoutMs: 200 });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/within 200 ms 8 bytes came, and "554 no/);
  });

  it("whose server says nothing is a timeout that names the phase", async () => {
    const port = await speaking(() => {});
    const result = await run({ port, expectContains: "220", timeoutMs: 150 });
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(
      /within 150 ms: the time ran out while waiting for the response/,
    );
  });

  it("that closes without a word is a failure", async () => {
    const port = await speaking((socket) => socket.end());
    const result = await run({ port, expectContains: "220" });
    expect(result.detail?.errorMessage).toBe("the server closed the connection, and nothing was received");
  });

  it("whose connection breaks is an error of category connect", async () => {
    const port = await speaking((socket) => socket.on("data", () => socket.resetAndDestroy()));
    const result = await run({ port, send: "hi", expectContains: "220" });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/broke \(ECONNRESET\)/);
  });

  it("against a port where nothing listens is an error of category connect", async () => {
    const result = await run({ port: await closedPort() });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/connection refused/);
  });

  it("finds a text that comes in pieces, across characters of several bytes", async () => {
    const bytes = Buffer.from("grüße, ключ");
    const port = await speaking(async (socket) => {
      for (const byte of bytes) {
        socket.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect((await run({ port, expectContains: "üße, ключ" })).status).toBe("success");
  });

  it("reads no more than 64 KiB of an endless banner, and says so", async () => {
    let sent = 0;
    const port = await speaking((socket) => {
      const line = `${"x".repeat(1_023)}\n`;
      const more = () => {
        while (!socket.destroyed && socket.write(line)) sent += line.length;
      };
      socket.on("drain", more);
      more();
    });
    const result = await run({ port, expectContains: "ready" });
    expect(result).toMatchObject({ status: "failure", detail: { tcpJson: { receivedBytes: 65_536 } } });
    expect(result.detail?.errorMessage).toMatch(/the first 65536 bytes have come, and "x/);
    expect(result.detail?.tcpJson?.received.length).toBe(4_096);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it("keeps garbage in a form that can be stored", async () => {
    const port = await speaking((socket) => socket.end(Buffer.from([0, 0xff, 0xfe, 0xc3, 0x28, 0, 0x41])));
    const result = await run({ port, expectContains: "nowhere" });
    expect(result.status).toBe("failure");
    expect(JSON.stringify(result.detail)).not.toMatch(/\\u0000|\\ud/);
  });

  it("whose pattern would run for ever ends, and says why", async () => {
    const port = await speaking((socket) => socket.end("a".repeat(40)));
    const result = await run({ port, expectMatches: "^(a+)+$x", timeoutMs: 10_000 });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/did not finish within 1000 ms/);
  });

  it("whose pattern is none is a failure that says so", async () => {
    const port = await speaking((socket) => socket.end("a"));
    const result = await run({ port, expectMatches: "({{vault.A}}" });
    expect(result.detail?.errorMessage).toMatch(/expectMatches is no pattern/);
  });

  it("is tried again by its policy", async () => {
    let count = 0;
    const port = await speaking((socket) => socket.end(++count < 3 ? "busy" : "ready"));
    const retry = {
      strategy: "fixed" as const,
      maxRetries: 3,
      baseBackoffSeconds: 1,
      maxDurationSeconds: 60,
      sameLocation: true as const,
    };
    const result = await run(
      { port, expectContains: "ready" },
      { request: { retry }, context: { sleep: async () => {} } },
    );
    expect(result).toMatchObject({ status: "success", detail: { recoveredOnRetry: true } });
    expect(result.detail?.attempts?.map(({ status }) => status)).toEqual(["failure", "failure", "success"]);
  });

  it("is judged by its response time", async () => {
    const port = await speaking((socket) => setTimeout(() => socket.end("ok"), 30));
    const result = await run({ port, expectContains: "ok", assertions: [{ type: "response_time", max: 5 }] });
    expect(result).toMatchObject({
      status: "failure",
      detail: {
        errorCategory: "assertion",
        assertions: [{ type: "response_time", passed: false, expected: 5 }],
      },
    });
  });

  it("that is stopped by its runner is a fault", async () => {
    const port = await speaking(() => {});
    const controller = new AbortController();
    const request = aRequestOf("tcp", { host: HOST, port, expectContains: "x" });
    const running = runProbe(request, aContext({ signal: controller.signal }));
    setTimeout(() => controller.abort(), 20);
    expect(expectFault(await running).reason).toBe("draining");
  });

  it("may not reach a private address where that is denied, and connects to nothing", async () => {
    let connections = 0;
    const port = await speaking(() => {
      connections++;
    });
    for (const host of [HOST, "localhost", "::1"]) {
      const result = await run({ host, port }, { context: { allowPrivateAddresses: false } });
      expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
      expect(result.detail?.errorMessage).toMatch(/is not allowed/);
    }
    expect(connections).toBe(0);
  });

  it("leaves no connection open", async () => {
    const open = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      open.add(socket);
      socket.on("error", () => {}).on("close", () => open.delete(socket));
      socket.resume().write("hello");
    });
    const port = await listening(server);
    await run({ port });
    await run({ port, expectContains: "hello" });
    await run({ port, send: "x", expectContains: "nowhere", timeoutMs: 100 });
    await expect.poll(() => open.size).toBe(0);
  });
});

describe("a TCP run with TLS", () => {
  let authority: Authority;
  let good: KeyPair;
  beforeAll(async () => {
    authority = await anAuthority();
    good = await authority.issue();
  });

  const secure = (options: tls.TlsOptions, banner = "ready\r\n") =>
    listening(
      tls.createServer(options, (socket) => {
        socket.on("error", () => {});
        socket.write(banner);
      }),
    );

  it("succeeds with a server of the check's own authority, and has the facts of its certificate", async () => {
    const port = await secure(good);
    const result = await run({
      port,
      tls: true,
      caCertificates: authority.certificate,
      expectContains: "ready",
      assertions: [{ type: "ssl_expiry", daysBeforeExpiry: 14 }],
    });
    expect(result.status).toBe("success");
    expect(result.phases.tlsHandshakeUs).toBeGreaterThan(0);
    expect(result.facts?.tls as TlsFacts).toMatchObject({
      host: HOST,
      issuer: "CN=Test Root",
      isTrusted: true,
    });
    expect(result.detail?.assertions).toMatchObject([{ type: "ssl_expiry", passed: true }]);
  });

  it("trusts the check's own authority alone where it names one", async () => {
    const other = await anAuthority("Other Root");
    const port = await secure(good);
    const context = { caCertificates: [authority.certificate] };
    expect((await run({ port, tls: true }, { context })).status).toBe("success");
    const result = await run({ port, tls: true, caCertificates: other.certificate }, { context });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
    expect(result.facts).toMatchObject({ tls: { isTrusted: false } });
  });

  it("fails where the certificate is for another name, and succeeds when that name is wanted", async () => {
    const port = await secure(await authority.issue({ names: ["mail.example"] }));
    const caCertificates = authority.certificate;
    const refused = await run({ port, tls: true, caCertificates });
    expect(refused.detail?.errorMessage).toMatch(/is for another host: it names mail.example/);
    const result = await run({ port, tls: true, caCertificates, serverName: "mail.example" });
    expect(result.status).toBe("success");
    expect(result.facts).toMatchObject({ tls: { host: "mail.example" } });
  });

  it("shows its certificate to a server that asks for one", async () => {
    const client = await authority.issue({ names: ["client.example"] });
    const seen: string[] = [];
    const server = tls.createServer(
      { ...good, ca: authority.certificate, requestCert: true, rejectUnauthorized: true },
      (socket) => {
        socket.on("error", () => {});
        seen.push(String(socket.getPeerCertificate().subject?.CN));
        socket.write("ready");
      },
    );
    const port = await listening(server);
    const common = { port, tls: true, caCertificates: authority.certificate, expectContains: "ready" };
    const result = await run({ ...common, clientCertificate: client.cert, clientKey: client.key });
    expect([result.status, seen]).toEqual(["success", ["client.example"]]);
    const without = await run(common);
    expect(without).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
    const other = await authority.issue();
    const mismatched = await run({ ...common, clientCertificate: client.cert, clientKey: other.key });
    expect(mismatched.detail?.errorMessage).toMatch(/certificates or its key can't be used/);
  });

  it("against a server without TLS is an error of category tls", async () => {
    const port = await speaking((socket) => socket.write("220 plain\r\n"));
    const result = await run({ port, tls: true });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
  });

  it("against a server that is silent in the handshake is a timeout", async () => {
    const port = await speaking(() => {});
    const result = await run({ port, tls: true, timeoutMs: 150 });
    expect(result.status).toBe("timeout");
    expect(result.detail?.errorMessage).toMatch(/in the TLS handshake/);
  });
});
