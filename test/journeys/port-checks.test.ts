/** Checks that connect to a port or ask a name server: from the request that creates them to what the API answers. */
import net from "node:net";
import tls from "node:tls";
import type { Check, Result } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anAuthority } from "../../probes/test-support/certificates.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
let controlPlane: ControlPlane;
let locationId: string;
let channelId: string;
const servers: net.Server[] = [];

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
  for (const server of servers) server.close();
  await stack?.[Symbol.asyncDispose]();
});

/** Listens on loopback until the tests end. @returns the port */
async function listening(server: net.Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as net.AddressInfo).port;
}

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

test("a tcp check with TLS: its key is hidden, its certificate is tracked, its evidence is shown", async () => {
  const authority = await anAuthority();
  const client = await authority.issue({ names: ["client.example"] });
  const port = await listening(
    tls.createServer(
      {
        ...(await authority.issue()),
        ca: authority.certificate,
        requestCert: true,
        rejectUnauthorized: true,
      },
      (socket) => socket.on("error", () => {}).end("220 mail.example ready\r\n"),
    ),
  );
  const check = await createCheck({
    name: "Mail",
    type: "tcp",
    tcpConfig: {
      host: "127.0.0.1",
      port,
      tls: true,
      caCertificates: authority.certificate,
      clientCertificate: client.cert,
      clientKey: client.key,
      expectMatches: "^220 ",
      assertions: [{ type: "ssl_expiry", daysBeforeExpiry: 60 }],
    },
  });
  const result = await firstResultOf(check);
  expect(result).toMatchObject({
    status: "failure",
    httpStatusCode: null,
    errorCategory: "assertion",
    tcpJson: { received: "220 mail.example ready\r\n" },
    assertions: [{ type: "ssl_expiry", passed: false }],
  });
  expect(result.timing).toMatchObject({
    tcpConnectMs: expect.any(Number),
    tlsHandshakeMs: expect.any(Number),
    ttfbMs: expect.any(Number),
  });
  const { certificates } = await controlPlane.ok<{ certificates: object[] }>(
    "GET",
    `/api/checks/${check.id}/certificates`,
  );
  expect(JSON.stringify(certificates)).toContain("CN=Test Root");
  const changes = await controlPlane.ok<object>("GET", "/api/changes");
  expect(JSON.stringify(changes)).not.toContain("PRIVATE KEY");
  await controlPlane.ok("POST", `/api/checks/${check.id}/alerts`, {
    name: "Certificate",
    conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 60 }],
    channelIds: [channelId],
  });
});

test("a tcp check without TLS succeeds, and refuses what needs a certificate", async () => {
  const port = await listening(net.createServer((socket) => socket.on("error", () => {}).end("+PONG")));
  const check = await createCheck({
    name: "Cache",
    type: "tcp",
    tcpConfig: { host: "127.0.0.1", port, send: "PING\r\n", expectContains: "+PONG" },
  });
  expect(await firstResultOf(check)).toMatchObject({ status: "success", errorCategory: null });
  const refused = await controlPlane.call("POST", `/api/checks/${check.id}/alerts`, {
    name: "Certificate",
    conditions: [{ type: "ssl_expiry" }],
    channelIds: [channelId],
  });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("does not speak TLS");
});
