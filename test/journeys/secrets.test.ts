/** Secrets of a team from end to end: where their values are found, and what a rotation does to the runs. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Change, Check, Result, Secret } from "@svc/contract";
import knex, { type Knex } from "knex";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dumpDatabase, findPlanted } from "../../control-plane/test-support/dump.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
beforeEach(async () => {
  stack = await startTestStack();
});
afterEach(() => stack[Symbol.asyncDispose](), 60_000);

/** A target that repeats each request in its answer, as careless ones do, and tells which tokens it was given. */
async function startEcho() {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      tokens.push(String(request.headers["x-token"]));
      response.writeHead(500, { "x-echo": String(request.headers["x-token"]) });
      response.end(JSON.stringify({ url: request.url, headers: request.headers, body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const resultsOf = async (controlPlane: ControlPlane, check: Check) =>
  (
    await controlPlane.ok<{ results: Result[] }>(
      "GET",
      `/api/checks/${check.id}/results?detail=true&limit=200`,
    )
  ).results;

function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "latin1" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

test("the values reach the target, and nothing that is stored, answered, logged or kept shows them", async () => {
  const echo = await startEcho();
  const database = await stack.database();
  const controlPlane = await stack.controlPlane({ databaseUrl: database.url });
  const { locationId, runnerKey } = await createLocation(controlPlane, "vault");
  const dataDir = stack.folder();
  const runner = stack.runner({ key: runnerKey, port: controlPlane.runnerPort, dataDir });
  const values = {
    TOKEN: "planted-Token/+ä=1",
    PASSWORD: "planted-p@ss-w0rd",
    BODY: 'planted "body" <2>',
    PARAMETER: "planted-parameter",
  };
  for (const [name, value] of Object.entries(values))
    await controlPlane.ok("POST", "/api/secrets", { name, value });
  const own = ["planted-own-header", "planted-own-password", "planted-own-parameter", "planted-own-body"];
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name: "echo",
    type: "http",
    frequencySeconds: 10,
    locations: [locationId],
    httpConfig: {
      url: `http://user:${own[1]}@${echo.url}/?api_key=${own[2]}&other={{vault.PARAMETER}}`,
      method: "POST",
      headers: { "X-Token": "{{vault.PARAMETER}}", "X-Own": own[0] },
      body: `${own[3]} {{vault.BODY}} {{vault.TOKEN}} {{vault.PASSWORD}}`,
      assertions: [{ type: "status_code", value: 200 }],
    },
  });
  const [result] = await until("the check has a result", async () => {
    const results = await resultsOf(controlPlane, check);
    return results.length > 0 ? results : undefined;
  });
  expect(result?.status).toBe("failure");
  expect(result?.response?.body).toContain("***REDACTED***");
  expect(echo.tokens).toContain(values.PARAMETER);
  await controlPlane.ok("PUT", `/api/checks/${check.id}`, { name: "echo 2" });

  const db: Knex = knex({ client: "pg", connection: database.url });
  const outputs: Record<string, string> = {
    results: JSON.stringify(await resultsOf(controlPlane, check)),
    secrets: JSON.stringify(await controlPlane.ok("GET", "/api/secrets")),
    changes: JSON.stringify(await controlPlane.ok<{ changes: Change[] }>("GET", "/api/changes")),
    events: JSON.stringify(await controlPlane.ok("GET", "/api/events")),
    check: JSON.stringify(await controlPlane.ok("GET", `/api/checks/${check.id}`)),
    "database dump": await dumpDatabase(db),
    "agent's folder": textsIn(dataDir),
    "agent's log": runner.output(),
    "service's log": controlPlane.process.output(),
  };
  await db.destroy();
  echo.close();
  for (const [name, text] of Object.entries(outputs))
    expect([name, findPlanted(text, Object.values(values))]).toEqual([name, []]);
  // The check's own credentials are answered with the check, and are nowhere else. Its body is no credential: what the
  // target repeats of it is evidence.
  for (const name of [
    "results",
    "database dump",
    "agent's folder",
    "agent's log",
    "service's log",
    "changes",
  ])
    expect([name, findPlanted(outputs[name] ?? "", own)]).toEqual([name, []]);
  const [keyFile] = [join(dataDir, "secrets-key")];
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
});

test("a value that changes while checks run fails none of them, and each run has the old or the new one", async () => {
  const echo = await startEcho();
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "rotation");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const { secret } = await controlPlane.ok<{ secret: Secret }>("POST", "/api/secrets", {
    name: "TOKEN",
    value: "value-0",
  });
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name: "rotated",
    type: "http",
    frequencySeconds: 10,
    locations: [locationId],
    httpConfig: { url: `http://${echo.url}/`, headers: { "X-Token": "{{vault.TOKEN}}" } },
  });
  await until("the check has run", () => echo.tokens.length > 0);
  let rounds = 0;
  for (let value = 1; value <= 5; value++) {
    await controlPlane.ok("PUT", `/api/secrets/${secret.id}`, { value: `value-${value}` });
    const changedAtMs = performance.now();
    await until(
      "a run has the new value",
      async () => {
        await controlPlane.call("POST", `/api/checks/${check.id}/trigger`);
        rounds++;
        return echo.tokens.at(-1) === `value-${value}`;
      },
      { withinMs: 15_000, everyMs: 300 },
    );
    expect(performance.now() - changedAtMs).toBeLessThan(15_000);
  }
  expect(rounds).toBeGreaterThan(0);
  expect(echo.tokens.every((token) => /^value-[0-5]$/.test(token))).toBe(true);
  // In the order of time no run goes back to an older value.
  expect(echo.tokens).toEqual(echo.tokens.toSorted());
  const results = await resultsOf(controlPlane, check);
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter(({ status }) => status !== "success")).toEqual([]);
  const { check: after } = await controlPlane.ok<{ check: Check }>("GET", `/api/checks/${check.id}`);
  expect([after.updatedAt, after.configJson.headers]).toEqual([null, { "X-Token": "{{vault.TOKEN}}" }]);
  echo.close();
});

test("without a control plane an agent that starts again runs on with the values that it had", async () => {
  const echo = await startEcho();
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "alone");
  const dataDir = stack.folder();
  const agent = { key: runnerKey, port: controlPlane.runnerPort, dataDir };
  const first = stack.runner(agent);
  await controlPlane.ok("POST", "/api/secrets", { name: "TOKEN", value: "kept-value" });
  await controlPlane.ok("POST", "/api/checks", {
    name: "kept",
    type: "http",
    frequencySeconds: 10,
    locations: [locationId],
    httpConfig: { url: `http://${echo.url}/`, headers: { "X-Token": "{{vault.TOKEN}}" } },
  });
  await until("the check has run by its schedule", () => echo.tokens.length > 1, { withinMs: 40_000 });
  await first.kill9();
  await controlPlane.process.kill9();
  echo.tokens.length = 0;
  stack.runner(agent);
  await until("the agent runs the check by itself", () => echo.tokens.length > 0, { withinMs: 40_000 });
  expect(echo.tokens).toEqual(echo.tokens.map(() => "kept-value"));
  echo.close();
});
