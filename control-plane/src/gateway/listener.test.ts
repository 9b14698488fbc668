import { webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import { afterEach, expect, test, vi } from "vitest";
import { ConnectionGuard } from "./connection-guard.ts";
import { CONNECTION_LIMITS } from "./connection-limits.ts";
import { answerHealth, isHealthRequest } from "./grpc-health.ts";
import { type Listener, type ListenerOptions, listen } from "./listener.ts";

let open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
  open = [];
});

async function aListener(options: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: undefined,
    handler: (request, response) => {
      if (isHealthRequest(request)) answerHealth(request, response, { isServing: true });
    },
    guard: aGuard(),
    ...options,
  });
  open.push(listener);
  return listener;
}

const aGuard = () => new ConnectionGuard({ ...CONNECTION_LIMITS, connectionsMax: 1_000 });

/** A TCP relay that can fall silent, as a cut network does. */
async function aRelay(url: string) {
  const sockets: net.Socket[] = [];
  let isCut = false;
  const relay = net.createServer((client) => {
    const server = net.connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [client, server]) socket.on("error", () => undefined);
    sockets.push(client, server);
    client.on("data", (chunk) => isCut || server.write(chunk));
    server.on("data", (chunk) => isCut || client.write(chunk));
    server.on("close", () => isCut || client.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
    },
    hasServerClosed: () => sockets[1]?.closed ?? false,
  };
}

function aClient(url: string): http2.ClientHttp2Session {
  const client = http2.connect(url);
  client.on("error", () => undefined);
  open.push({ close: () => client.destroy() });
  return client;
}

test("a peer that a cut network made silent is given up; one that answers pings is kept", async () => {
  const listener = await aListener({ pingIntervalMs: 20, pingTimeoutMs: 300 });
  const relay = await aRelay(listener.url);
  const client = aClient(relay.url);
  await new Promise((resolve) => client.once("connect", resolve));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(relay.hasServerClosed()).toBe(false);
  relay.cut();
  await vi.waitFor(() => expect(relay.hasServerClosed()).toBe(true), { timeout: 60_000 });
});

test("closing ends streams that would never end by themselves", async () => {
  const listener = await aListener({ closeTimeoutMs: 50 });
  const client = aClient(listener.url);
  const stream = client.request({ ":method": "POST", ":path": "/hangs" });
  stream.on("error", () => undefined);
  await new Promise((resolve) => client.once("remoteSettings", resolve));
  const closed = new Promise((resolve) => client.once("close", resolve));
  await listener.close();
  await closed;
});

test("a port that is taken is an error, not a crash", async () => {
  const listener = await aListener();
  const port = Number(new URL(listener.url).port);
  await expect(
    listen({ host: "127.0.0.1", port, tls: undefined, handler: () => undefined, guard: aGuard() }),
  ).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

test.each([
  ["the server as a whole", "Check", "", "0", [0, 0, 0, 0, 2, 8, 1]],
  ["the RunnerService", "Check", "svc.runner.v1.RunnerService", "0", [0, 0, 0, 0, 2, 8, 1]],
  ["another service", "Check", "other.Service", "5", []],
  ["a watch", "Watch", "", "12", []],
])("the gRPC health service answers for %s", async (_name, method, service, status, body) => {
  const listener = await aListener();
  const stream = aClient(listener.url).request({
    ":method": "POST",
    ":path": `/grpc.health.v1.Health/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const message =
    service === "" ? Buffer.alloc(0) : Buffer.concat([Buffer.of(0x0a, service.length), Buffer.from(service)]);
  stream.end(Buffer.concat([Buffer.of(0, 0, 0, 0, message.length), message]));
  const chunks: Buffer[] = [];
  stream.on("data", (chunk) => chunks.push(chunk));
  const trailers = await new Promise<http2.IncomingHttpHeaders>((resolve) =>
    stream.once("trailers", resolve),
  );
  expect(trailers["grpc-status"]).toBe(status);
  expect([...Buffer.concat(chunks)]).toEqual(body);
});

test("with certificate files the listener speaks HTTP/2 over TLS", async () => {
  const { certificate, certFile, keyFile } = await certificateFiles();
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    tls: { certFile, keyFile },
    handler: (request, response) => answerHealth(request, response, { isServing: true }),
    guard: aGuard(),
  });
  open.push(listener);
  expect(listener.url).toMatch(/^https:/);
  const client = http2.connect(listener.url.replace("127.0.0.1", "localhost"), { ca: certificate });
  open.push({ close: () => client.destroy() });
  const stream = client.request({ ":method": "POST", ":path": "/grpc.health.v1.Health/Check" });
  stream.end();
  stream.resume();
  const trailers = await new Promise<http2.IncomingHttpHeaders>((resolve) =>
    stream.once("trailers", resolve),
  );
  expect(trailers["grpc-status"]).toBe("0");
});

test("a certificate file that is not there is an error that names it", async () => {
  const tls = { certFile: "/nowhere/cert.pem", keyFile: "/nowhere/key.pem" };
  await expect(
    listen({ host: "127.0.0.1", port: 0, tls, handler: () => undefined, guard: aGuard() }),
  ).rejects.toThrow(/nowhere/);
});

async function certificateFiles(): Promise<{ certificate: string; certFile: string; keyFile: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=localhost",
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])],
  });
  const folder = mkdtempSync(join(tmpdir(), "svc-listener-"));
  open.push({ close: () => rmSync(folder, { recursive: true }) });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const certFile = join(folder, "cert.pem");
  const keyFile = join(folder, "key.pem");
  writeFileSync(certFile, certificate.toString("pem"));
  writeFileSync(keyFile, `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`);
  return { certificate: certificate.toString("pem"), certFile, keyFile };
}
