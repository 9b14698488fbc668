/** Tunnels of runs whose check has certificates of its own, against servers that ask for one. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http2 from "node:http2";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { createEgress } from "@svc/egress";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type Authority, anAuthority, type KeyPair } from "../../../test-support/certificates.ts";
import { connectionSettingsOf } from "../../run/connection-settings.ts";
import { EgressProxy } from "./proxy.ts";
import { RunTraffic } from "./run-traffic.ts";

let authority: Authority;
let client: KeyPair;
beforeAll(async () => {
  authority = await anAuthority("Private Root");
  client = await authority.issue({ names: ["watcher.test"] });
});

async function listening(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that sends back what it gets, behind the name of the certificate that it was shown. */
async function echo(
  options: tls.TlsOptions = {},
  pair?: KeyPair,
  onConnection: (socket: tls.TLSSocket) => void = () => {},
): Promise<string> {
  const server = tls.createServer(
    {
      ...(pair ?? (await authority.issue())),
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      ...options,
    },
    (socket) => {
      socket.on("error", () => {});
      onConnection(socket);
      socket.write(`client ${socket.getPeerX509Certificate()?.subjectAltName ?? "unknown"};`);
      socket.pipe(socket);
    },
  );
  server.on("tlsClientError", () => {});
  return listening(server);
}

/** A proxy for a run with these fields of a check, whose client certificate is for `host`. */
async function proxyFor(
  fields: { clientCertificate?: string; clientKey?: string; caCertificates?: string },
  host: string,
) {
  const folder = mkdtempSync(join(tmpdir(), "svc-proxy-"));
  const path = join(folder, "0");
  const proxy = await EgressProxy.listen(path);
  const connection = connectionSettingsOf(fields, [`https://${host}`], { trustsPublicToo: true });
  const traffic = new RunTraffic(createEgress({ allowPrivate: true }), { connection });
  proxy.open(traffic);
  onTestFinished(() => {
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const tunnel = async (authorityAsked: string) => {
    const socket = net.connect(path);
    socket.on("error", () => {});
    socket.write(`CONNECT ${authorityAsked} HTTP/1.1\r\nhost: ${authorityAsked}\r\n\r\n`);
    await once(socket, "data");
    return socket;
  };
  return {
    traffic,
    tunnel,
    secured: async (target: string, protocols = ["h2", "http/1.1"]) => {
      const secured = tls.connect({
        socket: await tunnel(target),
        rejectUnauthorized: false,
        ALPNProtocols: protocols,
      });
      secured.on("error", () => {});
      return secured;
    },
  };
}

/** Sends a text and returns all that came back until `ending`, or until the end. */
async function talk(socket: net.Socket, text: string, ending: string): Promise<string> {
  let answer = "";
  socket.write(text);
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.endsWith(ending)) break;
  }
  return answer;
}

const showing = () => ({
  caCertificates: authority.certificate,
  clientCertificate: client.cert,
  clientKey: client.key,
});

it("shows the certificate, trusts the check's authority, and passes on any bytes both ways", async () => {
  const host = await echo();
  const { secured, traffic } = await proxyFor(showing(), host);
  const text = `GET /chat HTTP/1.1\r\nupgrade: websocket\r\n\r\n\u0000\u0001end`;
  expect(await talk(await secured(host), text, "end")).toBe(`client DNS:watcher.test;${text}`);
  expect(traffic.certificateAt(host)).toMatchObject({ subject: expect.any(String) });
  expect(traffic.timesAt(host)).toEqual({
    tcpConnectUs: expect.any(Number),
    tlsHandshakeUs: expect.any(Number),
  });
});

it("shows it to no other host", async () => {
  const host = await echo();
  const { secured } = await proxyFor(showing(), "shop.example");
  expect(await talk(await secured(host), "end", "end")).toBe("client unknown;end");
});

it("speaks HTTP/2 with the browser where the target does", async () => {
  const server = http2.createSecureServer({ ...(await authority.issue()), ALPNProtocols: ["h2"] });
  server.on("stream", (stream) => stream.end("over two"));
  server.on("sessionError", () => {});
  const host = await listening(server);
  const { tunnel } = await proxyFor(showing(), host);
  const socket = await tunnel(host);
  const session = http2.connect(`https://${host}`, { socket, rejectUnauthorized: false });
  onTestFinished(() => session.destroy());
  let answer = "";
  for await (const chunk of session.request({ ":path": "/" })) answer += chunk;
  expect(answer).toBe("over two");
});

it.each<[string, string[], string]>([
  ["a page", ["h2", "http/1.1"], "h2"],
  ["a WebSocket, for which HTTP/1.1 is offered alone,", ["http/1.1"], "http/1.1"],
])("speaks with a target of both versions as the browser does: %s", async (_name, offered, expected) => {
  const spoken: (string | false | null)[] = [];
  const host = await echo({ ALPNProtocols: ["h2", "http/1.1"] }, undefined, (socket) =>
    spoken.push(socket.alpnProtocol),
  );
  const { secured } = await proxyFor(showing(), host);
  const socket = await secured(host, offered);
  expect(await talk(socket, "end", "end")).toBe("client DNS:watcher.test;end");
  expect([socket.alpnProtocol, spoken.at(-1)]).toEqual([expected, expected]);
});

it("says that a target speaks HTTP/2 only where the browser asks for HTTP/1.1", async () => {
  const host = await echo({ ALPNProtocols: ["h2"] });
  const { secured, traffic } = await proxyFor(showing(), host);
  expect(await talk(await secured(host, ["http/1.1"]), "end", "end")).toBe("");
  expect(traffic.failureAt(host)).toMatchObject({ category: "protocol" });
});

it("refuses a target that knows no TLS of today, as browsers do", async () => {
  const host = await echo({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
  const { secured, traffic } = await proxyFor(showing(), host);
  expect(await talk(await secured(host), "end", "end")).toBe("");
  expect(traffic.failureAt(host)).toMatchObject({ category: "tls" });
});

it("passes on all that a target sent before it ended, to a browser that reads slowly", async () => {
  const server = tls.createServer({ ...(await authority.issue()) }, (socket) => {
    socket.on("error", () => {});
    socket.end(Buffer.alloc(2_000_000, "x"));
  });
  const host = await listening(server);
  const { secured } = await proxyFor(showing(), host);
  const socket = await secured(host);
  await once(socket, "readable");
  // The target has ended by the time that the rest is read.
  await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  let bytes = 0;
  for await (const chunk of socket) bytes += chunk.length;
  expect(bytes).toBe(2_000_000);
});

it("leaves a tunnel without TLS as it is", async () => {
  const host = await listening(net.createServer((socket) => socket.pipe(socket)));
  const { tunnel } = await proxyFor(showing(), host);
  expect(await talk(await tunnel(host), "plain end", "end")).toBe("plain end");
});

it.each<[string, () => ReturnType<typeof showing> | object, tls.TlsOptions, RegExp]>([
  [
    "wants a certificate",
    () => ({ caCertificates: authority.certificate }),
    { rejectUnauthorized: true },
    /wants a client certificate/,
  ],
  [
    "wants a certificate in TLS 1.2",
    () => ({ caCertificates: authority.certificate }),
    { rejectUnauthorized: true, maxVersion: "TLSv1.2" },
    /wants a client certificate/,
  ],
])("notes why a target %s", async (_name, fields, options, reason) => {
  const host = await echo(options);
  const { secured, traffic } = await proxyFor(fields(), host);
  expect(await talk(await secured(host), "end", "end")).not.toContain("client");
  expect(traffic.failureAt(host)).toMatchObject({ kind: "target", category: "tls" });
  expect(traffic.failureAt(host)?.message).toMatch(reason);
});

it("trusts nobody whom neither the check nor the public authorities vouch for", async () => {
  const other = await anAuthority("Other Root");
  const host = await echo({}, await other.issue());
  const { secured, traffic } = await proxyFor(showing(), host);
  expect(await talk(await secured(host), "end", "end")).toBe("");
  expect(traffic.failureAt(host)).toMatchObject({ kind: "target", category: "tls" });
});

it("says that a key which can't be used is the check's", async () => {
  const host = await echo();
  const clientKey = "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----";
  const { secured, traffic } = await proxyFor({ ...showing(), clientKey }, host);
  expect(await talk(await secured(host), "end", "end")).toBe("");
  expect(traffic.failureAt(host)?.message).toMatch(/the check's certificates or its key can't be used/);
});

it("ends the target's side when the run ends", async () => {
  const server = tls.createServer({ ...(await authority.issue()) }, (socket) => socket.write("hello"));
  const ended = new Promise<void>((resolve) => {
    server.on("secureConnection", (socket) => socket.on("error", () => {}).once("close", () => resolve()));
  });
  const host = await listening(server);
  const { secured, traffic } = await proxyFor(showing(), host);
  const socket = await secured(host);
  await once(socket, "data");
  traffic.close();
  await ended;
});
