/** Test runs from end to end: what they tell, and that nothing else ever hears of them. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { API_ROUTES, type TestRun } from "@svc/contract";
import knex from "knex";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
beforeEach(async () => {
  stack = await startTestStack();
});
afterEach(() => stack[Symbol.asyncDispose](), 60_000);

/** Text in the target's address, by which everything that a test run leaves is found. */
const MARK = "planted-7f3a";
const TOKEN = "planted-token-91c4";

/** A target that refuses requests without the token, and repeats what it was asked. */
async function startShop() {
  const server = createServer((request, response) => {
    const isAllowed = request.headers["x-token"] === TOKEN;
    response.writeHead(isAllowed ? 200 : 500, { "content-type": "application/json", "x-shop": MARK });
    response.end(JSON.stringify({ asked: request.url, items: [{ price: 12 }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${MARK}`;
}

const ended = (run: TestRun) => run.locations.every(({ phase }) => phase === "done" || phase === "failed");

async function runTest(controlPlane: ControlPlane, body: object): Promise<TestRun> {
  const { testRun } = await controlPlane.ok<{ testRun: TestRun }>("POST", "/api/test-runs", body);
  expect(testRun.locations.every(({ phase }) => phase !== "done")).toBe(true);
  return until("the test run ends", async () => {
    const read = await controlPlane.ok<{ testRun: TestRun }>("GET", `/api/test-runs/${testRun.id}`);
    return ended(read.testRun) ? read.testRun : undefined;
  });
}

/** Tables that nothing else writes to while the test looks. */
const STILL = [
  "checks",
  "check_revisions",
  "results",
  "manual_runs",
  "given_back_slots",
  "changes",
  "derived_events",
];
/** Signs of a test run in a row: its target, its id, and the beginning of the numbers that agents know it by. */
const TRACES = [MARK, "trun_", String(2 ** 50).slice(0, -4)];

/** Returns the rows of each table as text, without the test runs' own tables. */
async function readTables(databaseUrl: string): Promise<Map<string, string[]>> {
  const db = knex({ client: "pg", connection: databaseUrl });
  const { rows } = await db.raw(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> ALL(?)",
    [["test_runs", "test_run_locations", "test_run_pictures"]],
  );
  const tables = new Map<string, string[]>();
  for (const { name } of rows) {
    const content = await db.raw(`SELECT t::text AS row FROM "${name}" t`);
    tables.set(name, content.rows.map(({ row }: { row: string }) => row).sort());
  }
  await db.destroy();
  return tables;
}

function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "latin1" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

test("a configuration is tried with its secret, and nothing but the test run knows of it", async () => {
  const url = await startShop();
  const database = await stack.database();
  const controlPlane = await stack.controlPlane({ databaseUrl: database.url });
  const { locationId, runnerKey } = await createLocation(controlPlane, "office");
  const dataDir = stack.folder();
  const runner = stack.runner({ key: runnerKey, port: controlPlane.runnerPort, dataDir });
  await controlPlane.ok("POST", "/api/secrets", { name: "TOKEN", value: TOKEN });
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Another check",
    type: "http",
    frequencySeconds: 3600,
    locations: [locationId],
    httpConfig: { url: stack.target.url },
  });
  await until("the check has run", () => stack.target.hits.size > 0);
  await until("its result is stored", async () => {
    const { results } = await controlPlane.ok<{ results: object[] }>(
      "GET",
      `/api/checks/${check.id}/results`,
    );
    return results.length > 0;
  });
  const before = await readTables(database.url);

  const wanted = [{ type: "status_code", operator: "equals", value: 200 }];
  const refused = await runTest(controlPlane, {
    type: "http",
    httpConfig: { url, assertions: wanted },
    locations: [locationId],
  });
  expect(refused.locations[0]).toMatchObject({
    locationId,
    phase: "done",
    result: { status: "failure", httpStatusCode: 500, assertions: [{ passed: false, actual: 500 }] },
  });
  const accepted = await runTest(controlPlane, {
    type: "http",
    httpConfig: { url, headers: { "X-Token": "{{vault.TOKEN}}" }, assertions: wanted },
    locations: [locationId, "loc_us_east"],
  });
  expect(accepted.locations).toMatchObject([
    {
      phase: "done",
      result: {
        status: "success",
        assertions: [{ passed: true }],
        response: { headers: { "x-shop": MARK }, body: expect.stringContaining('"price":12') },
      },
    },
    { locationId: "loc_us_east", phase: "failed", problem: "No runner is connected at this location." },
  ]);

  const after = await readTables(database.url);
  for (const table of STILL) expect([table, after.get(table)]).toEqual([table, before.get(table)]);
  for (const [table, rows] of after)
    expect([table, rows.filter((row) => TRACES.some((trace) => row.includes(trace)))]).toEqual([table, []]);
  for (const route of API_ROUTES.filter(({ method }) => method === "GET")) {
    if (route.path === "/api/live") continue;
    const path = route.path.replace("/checks/:id", `/checks/${check.id}`).replace(/:\w+/g, "unknown");
    const range = "?range=24h&from=2026-01-01T00:00:00.000Z&to=2026-01-02T00:00:00.000Z";
    for (const query of ["", "?range=24h", range]) {
      const answer = await controlPlane.fetch(path + query, {
        headers: { authorization: `Bearer ${controlPlane.apiKey}` },
      });
      const text = await answer.text();
      expect([path, text.includes(MARK) || text.includes(refused.id)]).toEqual([path, false]);
    }
  }
  await runner.stop();
  expect(textsIn(dataDir)).not.toContain(MARK);
  expect(runner.output()).not.toContain(TOKEN);
});

test("a test run that one replica is asked for is run by an agent of the other, with the check's stored secret", async () => {
  const url = await startShop();
  const database = await stack.database();
  const first = await stack.controlPlane({ databaseUrl: database.url });
  const second = await stack.controlPlane({ databaseUrl: database.url, apiKey: first.apiKey });
  const { locationId, runnerKey } = await createLocation(first, "office");
  stack.runner({ key: runnerKey, port: second.runnerPort });
  await until("the runner is connected", async () => {
    const { runners } = await first.ok<{ runners: { status: string }[] }>("GET", "/api/runners");
    return runners.some(({ status }) => status === "online");
  });
  const { check } = await first.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Stored",
    type: "http",
    enabled: false,
    locations: [locationId],
    httpConfig: { url, headers: { "X-Token": TOKEN } },
  });
  const masked = { url, headers: { "X-Token": "***" } };
  const run = await runTest(first, {
    type: "http",
    httpConfig: masked,
    locations: [locationId],
    checkId: check.id,
  });
  expect(run.locations[0]).toMatchObject({
    phase: "done",
    result: { status: "success", httpStatusCode: 200 },
  });
});
