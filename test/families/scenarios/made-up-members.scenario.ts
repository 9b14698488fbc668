/**
 * The made-up members at work: runs in a copy of the project that has them, with the processes that are built there. One
 * control plane on PostgreSQL, one agent, and on loopback a site, a server that greets, a landing and a collector.
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { createSecrets, fieldChanges } from "@svc/as-code/plan";
import {
  type Analysis,
  type Change,
  type Check,
  type FeedEvent,
  type Incident,
  REDACTED,
  type Result,
  type TelemetryEventName,
} from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvc } from "../../../cli/test-support/run-svc.ts";
import { openPool } from "../../../control-plane/src/platform/db/pool.ts";
import { readNeighbours } from "../../../control-plane/src/response/hypothesis/input-store.ts";
import { recordDerivedEvents } from "../../../control-plane/src/telemetry/derived-events/store.ts";
import { type OtlpReceiver, startOtlpHttp } from "../../../control-plane/test-support/otlp/receiver.ts";
import type { ControlPlane } from "../../harness/control-plane.ts";
import { createLocation } from "../../harness/fleet.ts";
import { startTestStack, type TestStack } from "../../harness/test-stack.ts";
import { until } from "../../harness/wait.ts";

const TEAPOT = 418;
const GREETING = "220 mail.example ready";

let stack: TestStack;
let controlPlane: ControlPlane;
let databaseUrl: string;
let locationId: string;
let collector: OtlpReceiver;
/** Notes that balloons brought. */
const notes: string[] = [];
const closings: (() => unknown)[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  stack.target.answerWith(TEAPOT);
  collector = await startOtlpHttp();
  databaseUrl = (await stack.database()).url;
  controlPlane = await stack.controlPlane({ databaseUrl });
  const location = await createLocation(controlPlane, "here");
  locationId = location.locationId;
  stack.runner({ key: location.runnerKey, port: controlPlane.runnerPort });
  await controlPlane.ok("PUT", "/api/telemetry", { endpoint: collector.url, protocol: "http/json" });
}, 120_000);
afterAll(async () => {
  for (const close of closings) close();
  await collector?.close();
  await stack?.[Symbol.asyncDispose]();
}, 60_000);

/** Starts a server that notes what balloons bring. Returns its URL. */
async function startLanding(): Promise<string> {
  const server = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    notes.push((JSON.parse(text) as { note: string }).note);
    response.writeHead(200).end();
  });
  closings.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/landing`;
}

/** Starts a server that greets whoever connects. Returns its port. */
async function startGreeter(): Promise<number> {
  const server = net.createServer((socket) => void socket.on("error", () => {}).end(`${GREETING}\r\n`));
  closings.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
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

let teapot: Check;
let greeter: Check;
let channelId: string;

test("an assertion is accepted by REST and judged by the agent", async () => {
  teapot = await createCheck({
    name: "Teapot",
    type: "http",
    httpConfig: {
      url: stack.target.url,
      assertions: [{ type: "body_size", maxBytes: 1 }],
      agentReadiness: { enabled: true, every: 1, require: [] },
    },
  });
  const { status, assertions } = await firstResultOf(teapot);
  expect([status, assertions?.[0]]).toMatchObject([
    "failure",
    { type: "body_size", passed: false, expected: 1, actual: 2 },
  ]);
  const refused = await controlPlane.call("POST", "/api/checks", {
    name: "Teapot",
    type: "http",
    locations: [locationId],
    httpConfig: { url: stack.target.url, assertions: [{ type: "body_size", maxBytes: -1 }] },
  });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining("smallest is 0"),
  ]);
});

test("a readiness probe looks at the site", async () => {
  const { agentReadinessJson } = await firstResultOf(teapot);
  expect(agentReadinessJson?.probes.map(({ id }) => id)).toContain("humans_txt");
});

test("a check of a made-up type is run by the agent, and its fact is stored", async () => {
  greeter = await createCheck({
    name: "Greeter",
    type: "greeting",
    greetingConfig: { host: "127.0.0.1", port: await startGreeter() },
  });
  expect(await firstResultOf(greeter)).toMatchObject({
    status: "success",
    greetingJson: { characters: GREETING.length },
    notes: [`greeted by: ${GREETING}`],
  });
});

test("a check of a made-up type is found by its target's host", async () => {
  const knex = openPool(databaseUrl, { poolMax: 1 });
  const [{ teamId }] = await knex("checks").where({ id: greeter.id }).select("teamId");
  const neighbours = await readNeighbours(knex, { teamId, hosts: ["127.0.0.1"], nowMs: Date.now() });
  await knex.destroy();
  expect(neighbours.map(({ checkName }) => checkName)).toContain("Greeter");
});

test("a channel delivers", async () => {
  const channel = { type: "balloon", landingUrl: await startLanding() };
  const path = "/api/notification-channels";
  const created = await controlPlane.ok<{ channel: { id: string } }>("POST", path, { name: "Loft", channel });
  channelId = created.channel.id;
  await controlPlane.ok("POST", `${path}/${channelId}/test`, { eventType: "handed_over" });
  expect(notes).toEqual([expect.stringMatching(/^\[TEST\] .*: handed over$/)]);
});

test("a condition begins to hold, and the channel says so", async () => {
  await controlPlane.ok("POST", `/api/checks/${teapot.id}/alerts`, {
    name: "Tea",
    conditions: [{ type: "status_code_seen" }],
    channelIds: [channelId],
  });
  await controlPlane.ok("POST", `/api/checks/${teapot.id}/trigger`);
  await until("a balloon came", () => notes.some((note) => note.endsWith("incident opened")));
});

test("a hypothesis rule gives the incident's cause", async () => {
  const { incidents } = await controlPlane.ok<{ incidents: Incident[] }>("GET", "/api/incidents");
  expect(incidents[0]?.hypothesis).toMatchObject({
    summary: expect.stringContaining("the moon is full"),
    ruledIn: expect.arrayContaining(["moon: full"]),
  });
});

test("an analysis rule gives an insight", async () => {
  const { insight } = await controlPlane.ok<Analysis>("POST", `/api/checks/${teapot.id}/analyze`);
  expect(insight).toMatchObject({ type: "too_quiet", summary: "It is too quiet.", confidence: 1 });
});

test("a feed event appears in the feed", async () => {
  const path = `/api/events?type=check.dawdled&checkId=${greeter.id}`;
  const { events } = await controlPlane.ok<{ events: FeedEvent[] }>("GET", path);
  expect(events).toMatchObject([{ eventType: "check.dawdled", summary: "Greeter took its time" }]);
});

test("a telemetry event reaches the collector", async () => {
  const knex = openPool(databaseUrl, { poolMax: 1 });
  const [row] = await knex("checks").where({ id: teapot.id }).select("teamId");
  await recordDerivedEvents(knex, [
    {
      teamId: row.teamId,
      name: "synthetics.balloon.lost" as TelemetryEventName,
      severity: "warning",
      attributes: { "synthetics.check.name": "Teapot" },
      occurredAtMs: Date.now(),
    },
  ]);
  await knex.destroy();
  const log = await until("the record came", () =>
    collector.logs.find(({ name }) => name === "synthetics.balloon.lost"),
  );
  expect(log).toMatchObject({ severity: "WARN", body: "the balloon of Teapot was lost" });
});

test("the secret of a check of a made-up type is masked", async () => {
  const passphrase = "open sesame";
  const configJson = { ...greeter.configJson, passphrase };
  await controlPlane.ok("PUT", `/api/checks/${greeter.id}`, { configJson });
  const { changes } = await controlPlane.ok<{ changes: Change[] }>("GET", "/api/changes?type=check");
  const knex = openPool(databaseUrl, { poolMax: 1 });
  const [row] = await knex("checks").where({ id: greeter.id }).select("config");
  await knex.destroy();
  const fields = { type: "greeting", passphrase };
  const plan = fieldChanges({
    kind: "check",
    before: fields,
    after: { ...fields, passphrase: "another" },
    secrets: createSecrets(),
  });
  expect(JSON.stringify(changes)).toContain(REDACTED);
  expect(JSON.stringify([changes, row, plan])).not.toMatch(/open sesame|another/);
  expect(plan).toMatchObject([{ field: "passphrase", redacted: true }]);
});

test("svc.config.yaml takes the members", async () => {
  const folder = stack.folder();
  const config = `
project: loft
alertChannels:
  loft: { type: balloon, landingUrl: "https://loft.example/" }
monitors:
  - name: site
    type: http
    url: https://www.example.org
    locations: [loc_us_east]
    assertions: [{ type: body_size, maxBytes: 10 }]
    agentReadiness: { enabled: true, require: [humans_txt] }
    alerts: [{ conditions: [{ type: status_code_seen, code: 503 }], channels: ["@loft"] }]
  - { name: mail, type: greeting, host: mail.example.org, port: 25, locations: [loc_us_east] }
`;
  writeFileSync(join(folder, "svc.config.yaml"), config);
  const { code, stdout } = await runSvc(["validate", "--json"], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.any(String)]);
  writeFileSync(join(folder, "svc.config.yaml"), config.replace("port: 25", "port: 0"));
  const refused = await runSvc(["validate", "--json"], { cwd: folder });
  expect([refused.code, refused.stdout]).toEqual([
    expect.any(Number),
    expect.stringContaining("smallest is 1"),
  ]);
});
