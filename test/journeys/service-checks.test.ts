/** Checks of services that speak a protocol of their own: from the request that creates them to what the API answers. */
import { spawnSync } from "node:child_process";
import https from "node:https";
import type { AddressInfo } from "node:net";
import grpc from "@grpc/grpc-js";
import type { Check, Result } from "@svc/contract";
import { HealthImplementation } from "grpc-health-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
let controlPlane: ControlPlane;
let locationId: string;
let channelId: string;
const endings: (() => void)[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
  const location = await createLocation(controlPlane, "here");
  locationId = location.locationId;
  const channel = { type: "webhook", url: "https://hooks.example.com/" };
  const path = "/api/notification-channels";
  const created = await controlPlane.ok<{ channel: { id: string } }>("POST", path, { name: "Hook", channel });
  channelId = created.channel.id;
  stack.runner({ key: location.runnerKey, port: controlPlane.runnerPort });
});
afterAll(async () => {
  for (const end of endings) end();
  await stack?.[Symbol.asyncDispose]();
});

async function createCheck(fields: Record<string, unknown>): Promise<Check> {
  const body = { frequencySeconds: 3600, locations: [locationId], ...fields };
  return (await controlPlane.ok<{ check: Check }>("POST", "/api/checks", body)).check;
}

/** Waits for the check's first result. */
function firstResultOf({ id, name }: Check): Promise<Result> {
  return until(`${name} has a result`, async () => {
    const path = `/api/checks/${id}/results?detail=true`;
    return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results[0];
  });
}

/** Asks for an alert rule about the certificate of a check. */
function alertOnCertificate({ id }: Check) {
  return controlPlane.call("POST", `/api/checks/${id}/alerts`, {
    name: "Certificate",
    conditions: [{ type: "ssl_expiry" }],
    channelIds: [channelId],
  });
}

test("a grpc check: its health is judged, its metadata is hidden, its certificate is tracked", async () => {
  const authority = await anAuthority();
  const { key, cert } = await authority.issue();
  const server = new grpc.Server();
  new HealthImplementation({ "": "SERVING", "shop.Cart": "NOT_SERVING" }).addToServer(server);
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createSsl(null, [pair]);
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  endings.push(() => server.forceShutdown());
  const grpcConfig = { host: "127.0.0.1", port, tls: true, caCertificates: authority.certificate };
  const metadata = { authorization: "Bearer s3cr3t-token" };
  const check = await createCheck({
    name: "Cart",
    type: "grpc",
    grpcConfig: { ...grpcConfig, service: "shop.Cart", metadata },
  });
  const result = await firstResultOf(check);
  expect(result).toMatchObject({
    status: "failure",
    httpStatusCode: null,
    errorCategory: "assertion",
    grpcJson: { servingStatus: "NOT_SERVING", grpcStatus: "OK", httpStatusCode: 200 },
  });
  expect(result.errorMessage).toMatch(/says that the service "shop.Cart" is NOT_SERVING/);
  expect(result.timing).toMatchObject({ tlsHandshakeMs: expect.any(Number), ttfbMs: expect.any(Number) });
  const path = `/api/checks/${check.id}/certificates`;
  const { certificates } = await controlPlane.ok<{ certificates: object[] }>("GET", path);
  expect(JSON.stringify(certificates)).toContain("CN=Test Root");
  const changes = await controlPlane.ok<object>("GET", "/api/changes");
  expect(JSON.stringify(changes)).not.toContain("s3cr3t-token");
  expect((await alertOnCertificate(check)).status).toBe(201);
  const healthy = await createCheck({ name: "Server", type: "grpc", grpcConfig });
  expect(await firstResultOf(healthy)).toMatchObject({ status: "success" });
});

test("a grpc check without TLS refuses what needs a certificate, and a server that is gone is an error", async () => {
  const grpcConfig = { host: "127.0.0.1", port: 1 };
  const check = await createCheck({ name: "Plain", type: "grpc", grpcConfig });
  expect(await firstResultOf(check)).toMatchObject({ status: "error", errorCategory: "connect" });
  const refused = await alertOnCertificate(check);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("does not speak TLS");
});

test("a websocket check: its secrets are hidden, its messages are shown, its certificate is tracked", async () => {
  const authority = await anAuthority();
  const server = https.createServer(await authority.issue());
  new WebSocketServer({ server }).on("connection", (webSocket) => {
    webSocket.on("message", (data) => webSocket.send(`pong of ${data}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const websocketConfig = {
    url: `wss://user:passw0rd@127.0.0.1:${port}/feed`,
    headers: { "X-Api-Key": "s3cr3t-token" },
    caCertificates: authority.certificate,
    send: "ping",
  };
  const check = await createCheck({
    name: "Ticker",
    type: "websocket",
    websocketConfig: { ...websocketConfig, expectMatches: "^pang", timeoutMs: 1_000 },
  });
  expect(await firstResultOf(check)).toMatchObject({
    status: "failure",
    httpStatusCode: null,
    errorCategory: "assertion",
    websocketJson: { httpStatusCode: 101, messages: ["pong of ping"], receivedMessages: 1 },
  });
  const path = `/api/checks/${check.id}/certificates`;
  const { certificates } = await controlPlane.ok<{ certificates: object[] }>("GET", path);
  expect(JSON.stringify(certificates)).toContain("CN=Test Root");
  const changes = await controlPlane.ok<object>("GET", "/api/changes");
  expect(JSON.stringify(changes)).not.toMatch(/s3cr3t-token|passw0rd/);
  const healthy = await createCheck({
    name: "Feed",
    type: "websocket",
    websocketConfig: { ...websocketConfig, expectContains: "pong" },
  });
  expect(await firstResultOf(healthy)).toMatchObject({ status: "success" });
});

test("a ping check is run by an agent whose ping works, and refuses what needs a certificate", async (context) => {
  if (spawnSync("ping", ["-c", "1", "127.0.0.1"]).status !== 0) context.skip("no ping works on this machine");
  const pingConfig = { host: "127.0.0.1", count: 2, maxRoundTripMs: 0.0001 };
  const check = await createCheck({ name: "Gateway", type: "ping", pingConfig });
  expect(await firstResultOf(check)).toMatchObject({
    status: "failure",
    errorCategory: "assertion",
    pingJson: { address: "127.0.0.1", transmitted: 2, received: 2, lossPercent: 0 },
  });
  const refused = await alertOnCertificate(check);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("does not speak TLS");
  const healthy = await createCheck({
    name: "Router",
    type: "ping",
    pingConfig: { host: "localhost", count: 1 },
  });
  expect(await firstResultOf(healthy)).toMatchObject({ status: "success" });
});
