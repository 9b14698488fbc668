import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { dumpDatabase, findPlanted } from "../../test-support/dump.ts";
import { startOtlpHttp } from "../../test-support/otlp/receiver.ts";
import { sealStoredSecrets } from "../checks/sealing/seal-stored-secrets.ts";
import { registerTelemetryRoutes } from "./routes.ts";
import { openEndpoint } from "./settings.ts";
import { findSettings } from "./settings-store.ts";
import { telemetryEgress } from "./start-telemetry.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => registerTelemetryRoutes(app, services, telemetryEgress(services)),
    settings: { SVC_EGRESS_PRIVATE: "allow" },
  });
});
afterAll(() => test.close());

const endpoint = "https://otlp.example.com:4318/base";
const put = (body: object) => test.call("PUT", "/api/telemetry", body);

it("a team that set nothing exports nothing", async () => {
  test.team = await test.createTeam();
  const { status, body } = await test.call("GET", "/api/telemetry");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    endpoint: null,
    enabled: false,
    protocol: "http/protobuf",
    headers: {},
    status: [],
  });
});

it("settings come back without header values, and what was read can be put back", async () => {
  test.team = await test.createTeam();
  const { body } = await put({ endpoint, headers: { Authorization: "Bearer x" }, traces: true });
  expect(body).toMatchObject({
    endpoint,
    enabled: true,
    traces: true,
    metrics: false,
    headers: { Authorization: "***" },
  });
  expect(body.status.map(({ signal }: { signal: string }) => signal)).toEqual(["logs", "traces"]);
  const again = await put(body);
  expect(again.status).toBe(200);
  expect(again.body.headers).toEqual({ Authorization: "***" });
});

it("header values don't follow to another origin", async () => {
  test.team = await test.createTeam();
  await put({ endpoint, headers: { Authorization: "Bearer x" } });
  const moved = await put({ endpoint: "https://elsewhere.example.com/" });
  expect(moved.status).toBe(400);
  expect(moved.body.details.fieldErrors.headers[0]).toContain("Authorization");
  expect((await put({ endpoint: "https://otlp.example.com:4318/other" })).status).toBe(200);
  const given = await put({
    endpoint: "https://elsewhere.example.com/",
    headers: { Authorization: "Bearer y" },
  });
  expect(given.status).toBe(200);
});

it.each([
  ["enabled without an endpoint", {}, "endpoint"],
  ["an endpoint that is no http URL", { endpoint: "ftp://example.com" }, "endpoint"],
  ["an endpoint with a password", { endpoint: "https://bob:pw@otlp.example.com" }, "endpoint"],
  ["an unknown protocol", { endpoint, protocol: "thrift" }, "protocol"],
  ["a header of the protocol's own", { endpoint, headers: { "Content-Type": "x" } }, "headers"],
  ["a value to keep that is not there", { endpoint, headers: { A: "***" } }, "headers"],
  ["certificates that are none", { endpoint, caCertificate: "x" }, "caCertificate"],
])("%s is refused, and changes nothing", async (_, body, field) => {
  test.team = await test.createTeam();
  const answer = await put(body);
  expect(answer.status).toBe(400);
  expect(Object.keys(answer.body.details.fieldErrors)[0]).toContain(field);
  expect((await test.call("GET", "/api/telemetry")).body.endpoint).toBeNull();
});

it("changes are logged without header values", async () => {
  test.team = await test.createTeam();
  await put({ endpoint, headers: { Authorization: "Bearer first-secret" } });
  await put({ metrics: true, headers: { Authorization: "Bearer second-secret" } });
  const changes = await test.services.knex("changes").where({ teamId: test.team.teamId }).orderBy("key");
  expect(changes.map(({ action, type }) => [action, type])).toEqual([
    ["created", "telemetry"],
    ["updated", "telemetry"],
  ]);
  expect(JSON.stringify(changes)).not.toContain("secret");
});

it("credentials in the endpoint's URL are write-only, and neither stored nor logged in the open", async () => {
  test.team = await test.createTeam();
  const { teamId } = test.team;
  const { knex, secrets } = test.services;
  const credentials = ["planted-endpoint-key", "planted-former"];
  const endpoint = `https://otel.example.com/?api_key=${credentials[0]}&a=1`;
  const masked = "https://otel.example.com/?api_key=***&a=1";
  await put({ endpoint: `https://otel.example.com/?api_key=${credentials[1]}` });
  expect((await put({ endpoint })).body.endpoint).toBe(masked);
  const read = (await test.call("GET", "/api/telemetry")).body;
  expect(read.endpoint).toBe(masked);
  expect(findPlanted(await dumpDatabase(knex), credentials)).toEqual([]);

  await knex("telemetrySettings").where({ id: teamId }).update({ endpoint, endpointSealed: null });
  expect((await test.call("GET", "/api/telemetry")).body.endpoint).toBe(masked);
  await sealStoredSecrets({ knex, secrets }, new AbortController().signal);
  expect(await storedEndpoint()).toBe(endpoint);
  expect(findPlanted(await dumpDatabase(knex), credentials)).toEqual([]);

  // An update of something else keeps the endpoint, and so does what was read.
  await put({ traces: true });
  expect(await storedEndpoint()).toBe(endpoint);
  expect((await put(read)).status).toBe(200);
  expect(await storedEndpoint()).toBe(endpoint);

  for (const changed of [
    "https://evil.example.com/?api_key=***&a=1",
    "https://otel.example.com/?api_key=***&a=2",
  ])
    expect([changed, (await put({ endpoint: changed })).status]).toEqual([changed, 400]);
  expect(await storedEndpoint()).toBe(endpoint);

  async function storedEndpoint(): Promise<string | null> {
    const row = await findSettings(knex, teamId);
    return row ? openEndpoint(secrets, teamId, row) : null;
  }
});

it("a test sends one record, tells the answer, and has to wait for the next one", async () => {
  test.team = await test.createTeam();
  const receiver = await startOtlpHttp();
  onTestFinished(() => receiver.close());
  expect((await test.call("POST", "/api/telemetry/test")).status).toBe(409);
  await put({ endpoint: receiver.url, headers: { "X-Token": "t" } });
  const accepted = await test.call("POST", "/api/telemetry/test");
  expect(accepted.body).toMatchObject({ ok: true, httpStatus: 200, grpcStatus: null });
  expect(receiver.logs.map(({ name }) => name)).toEqual(["synthetics.telemetry.test"]);
  expect(receiver.requests[0]?.headers["x-token"]).toBe("t");
  const early = await test.call("POST", "/api/telemetry/test");
  expect(early.status).toBe(429);
  expect(early.headers["retry-after"]).toBe("10");
  test.clock.advance(10_000);
  receiver.answer = () => ({ status: 401, body: "who are you" });
  const refused = await test.call("POST", "/api/telemetry/test");
  expect(refused.body).toMatchObject({ ok: false, httpStatus: 401 });
  expect(refused.body.message).toContain("who are you");
});

it("one team sees nothing of another's settings", async () => {
  test.team = await test.createTeam();
  await put({ endpoint });
  test.team = await test.createTeam();
  expect((await test.call("GET", "/api/telemetry")).body.endpoint).toBeNull();
});
