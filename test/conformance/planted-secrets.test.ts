/**
 * Secrets planted at every place where one can be written, and a search for them in everything that the service and its
 * agents store, answer, log and send. The API answers configurations of checks and channels as they were written
 * (docs/decisions/0004); they are searched in their masked form. The list of specs answers source URLs, and a config holds
 * bodies and scripts, as they were written: those values are exempt there.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { API_ROUTES, type Result } from "@svc/contract";
import knex from "knex";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEST_KEY } from "../../contract/test-support/tls.ts";
import { dumpDatabase, findPlanted } from "../../control-plane/test-support/dump.ts";
import { type OtlpReceiver, startOtlpHttp } from "../../control-plane/test-support/otlp/receiver.ts";
import { hasSandbox } from "../harness/browser.ts";
import { svc } from "../harness/cli.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import {
  type EchoServer,
  IN_CHANNELS,
  IN_CHECKS,
  IN_TEAM,
  type PlantedTeam,
  plantTeam,
  startEchoServer,
  VAULT,
} from "../harness/planted-team.ts";
import type { RunningProcess } from "../harness/process.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const ALL = [VAULT, IN_CHECKS, IN_CHANNELS, IN_TEAM].flatMap((places) => Object.values(places));
/** Lists that answer as it was written what they list, and can be asked for less. */
const MASKED_ON_REQUEST = new Set(["/api/checks", "/api/notification-channels"]);
/** Lists that answer as it was written what they list: a config holds bodies and scripts, whose secrets nobody can recognise. */
const AS_WRITTEN = new Map<string, readonly string[]>([
  ["/api/specs", [IN_TEAM.specParameter]],
  ["/api/as-code", [IN_CHECKS.body, IN_CHECKS.script]],
]);

let stack: TestStack;
let echo: EchoServer;
let otlp: OtlpReceiver;
let controlPlane: ControlPlane;
let runner: RunningProcess;
let planted: PlantedTeam;
let databaseUrl: string;
let agentFolder: string;

beforeAll(async () => {
  stack = await startTestStack();
  echo = await startEchoServer();
  stack.atEnd(() => echo.close());
  otlp = await startOtlpHttp();
  stack.atEnd(() => otlp.close());
  databaseUrl = (await stack.database({ template: false })).url;
  controlPlane = await stack.controlPlane({
    databaseUrl,
    environment: { LOG_LEVEL: "debug", SVC_SPEC_LOADER_PRIVATE: "allow" },
  });
  const { locationId, runnerKey } = await createLocation(controlPlane, "planted");
  agentFolder = stack.folder();
  runner = stack.runner({
    key: runnerKey,
    port: controlPlane.runnerPort,
    dataDir: agentFolder,
    environment: { LOG_LEVEL: "debug" },
  });
  planted = await plantTeam(controlPlane, { host: echo.host, locationId, otlpUrl: otlp.url });
  await live();
});
afterAll(() => stack?.[Symbol.asyncDispose](), 60_000);

/** Has everything planted used, and changed once. */
async function live(): Promise<void> {
  const failing = hasSandbox ? planted.checks : planted.checks.slice(0, -1);
  for (const id of failing)
    await until(
      `${id} failed`,
      async () => (await resultsOf(id)).some(({ status }) => status !== "success"),
      {
        withinMs: 90_000,
      },
    );
  for (const id of planted.channels) await controlPlane.call("POST", `/api/notification-channels/${id}/test`);
  await controlPlane.call("POST", "/api/telemetry/test");
  for (const id of planted.checks) {
    const { check } = await controlPlane.ok<{ check: Record<string, unknown> }>("GET", `/api/checks/${id}`);
    await controlPlane.ok("PUT", `/api/checks/${id}`, { name: `${check.name}, renamed` });
  }
  await until("an alert is notified", () => echo.notifications.some((text) => text.includes("check 0")), {
    withinMs: 60_000,
  });
  for (const signal of ["logs", "traces", "metrics"])
    await until(`${signal} are exported`, () => otlp.requests.some((request) => request.signal === signal), {
      withinMs: 90_000,
    });
  await until("results are exported", () =>
    otlp.logs.some(({ attributes }) => attributes["synthetics.result.id"] !== undefined),
  );
}

async function resultsOf(checkId: string): Promise<Result[]> {
  const path = `/api/checks/${checkId}/results?detail=true&limit=50`;
  return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results;
}

/** Returns the header of the owner's session, who may read everything. */
async function signIn(): Promise<{ cookie: string }> {
  const answer = await controlPlane.fetch("/api/auth/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "owner@example.com", password: "correct horse battery" }),
  });
  return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

/** Requires that none of the values is in any of the texts, which are given by name. */
function expectNone(texts: Record<string, string>, values: readonly string[] = ALL): void {
  for (const [name, text] of Object.entries(texts)) {
    expect([name, text.length > 0]).toEqual([name, true]);
    expect([name, findPlanted(text, values)]).toEqual([name, []]);
  }
}

const answerOf = async (path: string) => JSON.stringify(await controlPlane.ok("GET", path));

test("each credential reaches the place that it is for", () => {
  const sent = echo.requests.join("\n");
  const inTelemetry = otlp.requests.map(({ headers }) => headers["x-key"]);
  expect(inTelemetry).toContain(IN_TEAM.telemetryHeader);
  const used = [
    IN_CHECKS.header,
    IN_CHECKS.body,
    IN_CHECKS.bearer,
    IN_CHECKS.apiKey,
    IN_CHECKS.urlParameter,
    IN_CHECKS.mcpParameter,
    IN_CHECKS.mcpBearer,
    IN_CHECKS.mcpArgument,
    IN_CHECKS.proxyAuthorization,
    VAULT.HTTP_TOKEN,
    VAULT.MCP_TOKEN,
    IN_TEAM.specParameter,
    IN_CHANNELS.webhookPath,
    IN_CHANNELS.webhookHeader,
    IN_CHANNELS.chat,
    IN_CHANNELS.slack,
    IN_CHANNELS.msteams,
    IN_CHANNELS.ntfyTopic,
    IN_CHANNELS.ntfyToken,
    IN_CHANNELS.jsm,
    IN_CHANNELS.telegram,
    IN_CHANNELS.discord,
    ...(hasSandbox ? [VAULT.SCRIPT_TOKEN] : []),
  ];
  expect(used.filter((value) => !sent.includes(value))).toEqual([]);
});

test("none is in the database", async () => {
  const db = knex({ client: "pg", connection: databaseUrl });
  try {
    expectNone({ "database dump": await dumpDatabase(db) });
  } finally {
    await db.destroy();
  }
});

test("none is in an agent's data folder or in a log", () => {
  const files = readdirSync(agentFolder, { recursive: true, encoding: "latin1" })
    .map((name) => join(agentFolder, name))
    .filter((path) => statSync(path).isFile());
  expectNone({
    "agent's folder": files.map((path) => readFileSync(path, "latin1")).join("\n"),
    "agent's log": runner.output(),
    "service's log": `log\n${controlPlane.process.output()}`,
  });
});

test("none is in a list, with a masked read where the list shows configurations", async () => {
  const session = await signIn();
  const paths = API_ROUTES.filter(
    // A stream does not end; what it carries is in the lists, too. A screen's own session is nothing that a person asks for.
    // The MCP server answers GET to nobody; its tools are asked below.
    ({ method, path, access, events }) =>
      method === "GET" &&
      !["public", "display", "key_reads"].includes(access) &&
      !path.includes(":") &&
      !events,
  ).map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["/api/changes", "/api/events", "/api/audit", "/api/team/export"]),
  );
  for (const path of paths) {
    const query = MASKED_ON_REQUEST.has(path) ? "?secrets=masked" : "";
    const answer = await controlPlane.fetch(path + query, { headers: session });
    // A list that needs a parameter refuses.
    expect([path, [200, 400].includes(answer.status)]).toEqual([path, true]);
    const asWritten = AS_WRITTEN.get(path) ?? [];
    expectNone(
      { [path]: await answer.text() },
      ALL.filter((value) => !asWritten.includes(value)),
    );
  }
});

test("none is in what is answered of a check, a channel, an alert or an incident", async () => {
  for (const id of planted.checks) {
    const paths = ["?secrets=masked", "/alerts?secrets=masked", "/results?detail=true&limit=50", "/coverage"];
    for (const path of paths) expectNone({ [path]: await answerOf(`/api/checks/${id}${path}`) });
    for (const result of (await resultsOf(id)).slice(0, 3))
      expectNone({ result: await answerOf(`/api/checks/${id}/results/${result.id}`) });
    // Secrets of the team are not answered with the check either.
    expectNone({ check: await answerOf(`/api/checks/${id}`) }, Object.values(VAULT));
  }
  for (const id of planted.channels) {
    expectNone({ channel: await answerOf(`/api/notification-channels/${id}?secrets=masked`) });
    expectNone({ deliveries: await answerOf(`/api/notification-channels/${id}/deliveries`) });
    expectNone({ "channel as code": await answerOf(`/api/notification-channels/${id}/as-code`) });
  }
  const { alerts } = await controlPlane.ok<{ alerts: { id: string }[] }>("GET", "/api/alerts");
  expect(alerts.length).toBeGreaterThan(0);
  // A config holds bodies and scripts as they were written.
  const inConfigs = ALL.filter((value) => ![IN_CHECKS.body, IN_CHECKS.script].some((one) => one === value));
  for (const { id } of alerts)
    expectNone({ "rule as code": await answerOf(`/api/alerts/${id}/as-code`) }, inConfigs);
  const { instances } = await controlPlane.ok<{ instances: { id: string }[] }>(
    "GET",
    "/api/alerts/instances",
  );
  expect(instances.length).toBeGreaterThan(0);
  for (const { id } of instances) expectNone({ instance: await answerOf(`/api/alerts/instances/${id}`) });
  const { incidents } = await controlPlane.ok<{ incidents: { id: string }[] }>("GET", "/api/incidents");
  expect(incidents.length).toBeGreaterThan(0);
  for (const { id } of incidents) expectNone({ incident: await answerOf(`/api/incidents/${id}`) });
});

test("none is in what the MCP server's tools answer of a check, an alert or an incident", async () => {
  for (const checkId of planted.checks) {
    for (const name of ["get_check", "explain_check"])
      expectNone({ [name]: await answerOfTool(name, { checkId }) });
    for (const { id: resultId } of (await resultsOf(checkId)).slice(0, 3)) {
      const where = { checkId, resultId };
      expectNone({ get_result: await answerOfTool("get_result", where) });
      const evidence = await answerOfTool("read_evidence", { ...where, path: "response" });
      expectNone({ read_evidence: evidence });
    }
  }
  for (const name of [
    "get_overview",
    "list_failing",
    "list_alerts",
    "list_incidents",
    "list_changes",
    "find_checks",
  ])
    expectNone({ [name]: await answerOfTool(name, {}) });
});

/** Returns the text that a tool of the MCP server answers, a refusal included. */
async function answerOfTool(name: string, input: object): Promise<string> {
  const answer = await controlPlane.fetch("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${controlPlane.apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
  });
  const text = await answer.text();
  expect(text).toContain('"result"');
  return text;
}

test("none is in a notification or in a record of the telemetry export", () => {
  // The name of a topic is the address of a push message, and stands in it.
  const sent = ALL.filter((value) => value !== IN_CHANNELS.ntfyTopic);
  expectNone({ notifications: echo.notifications.join("\n") }, sent);
  expectNone({
    "telemetry records": JSON.stringify(otlp.requests.map(({ body }) => body)),
  });
});

test("none is in what svc pulls, plans and prints", async () => {
  const cwd = stack.folder();
  const env = { SVC_API_URL: controlPlane.url, SVC_API_KEY: controlPlane.apiKey };
  const pulled = await svc(["pull", "--format", "directory"], { cwd, env });
  expect([pulled.code, pulled.stderr]).toEqual([0, expect.any(String)]);
  const files = readdirSync(cwd, { recursive: true, encoding: "utf8" })
    .map((name) => join(cwd, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"));
  // A body and a script are text of which nothing says where a credential is: they are pulled as they were written.
  const asWritten: string[] = [IN_CHECKS.body, IN_CHECKS.script];
  const pullable = ALL.filter((value) => !asWritten.includes(value));
  expectNone({ "svc pull": files.join("\n"), "output of svc pull": pulled.stdout + pulled.stderr }, pullable);

  const names = [...files.join("\n").matchAll(/\{\{secrets\.(\w+)\}\}/g)].map(([, name]) => String(name));
  // The whole URL of a chat channel is a secret; the other placeholders stand for a value within a text.
  const newValue = (name: string) => {
    const value = `planted-${name}`.toLowerCase();
    if (name.includes("CLIENTKEY")) return `${value}\n${TEST_KEY}`;
    return name.includes("URL") ? `https://${value}/path` : value;
  };
  const values = Object.fromEntries(names.map((name) => [name, newValue(name)]));
  const planned = await svc(["diff", "--json"], { cwd, env: { ...env, ...values } });
  // Every channel and check but those without a placeholder: the mail addresses and the script.
  expect([planned.code, JSON.parse(planned.stdout).data.summary.update]).toEqual([
    0,
    planted.channels.length + planted.checks.length - 2,
  ]);
  expectNone({ "svc diff": planned.stdout + planned.stderr }, [...ALL, ...Object.values(values)]);
});
