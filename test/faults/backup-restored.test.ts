/** A data folder that was lost and is restored from a backup, while agents go on: on the same ports, with the keys from the recovery file. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Check, Result } from "@svc/contract";
import { expect, test } from "vitest";
import { readPostmaster, stopPostmaster } from "../../control-plane/src/platform/db/postmaster.ts";
import { type ControlPlane, ROOT } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { startNode } from "../harness/process.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";

const stack = setUpTestStack();

/** Runs an operator's command on the data folder. Resolves with its exit code and what it printed. */
async function operate(
  dataDir: string,
  ...words: string[]
): Promise<{ code: number | string; output: string }> {
  const command = startNode([join(ROOT, "control-plane/dist/main.js"), ...words], { SVC_DATA_DIR: dataDir });
  const code = await command.ended;
  return { code, output: command.output() };
}

async function resultsOf(controlPlane: ControlPlane, { id }: Check): Promise<Result[]> {
  const path = `/api/checks/${id}/results?limit=200`;
  return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results;
}

/** Makes a check of a page that is only shown to those who send the team's secret. */
async function createSecretCheck(controlPlane: ControlPlane, locationId: string): Promise<Check> {
  const secret = "the secret of the team";
  const page = createServer((request, response) => {
    response.writeHead(request.headers["x-token"] === secret ? 200 : 403).end();
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  stack.atEnd(() => page.close());
  await controlPlane.ok("POST", "/api/secrets", { name: "TOKEN", value: secret });
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name: "closed page",
    type: "http",
    frequencySeconds: 10,
    locations: [locationId],
    httpConfig: {
      url: `http://127.0.0.1:${(page.address() as AddressInfo).port}`,
      headers: { "x-token": "{{vault.TOKEN}}" },
      assertions: [{ type: "status_code", value: 200 }],
    },
  });
  return check;
}

test("a restored backup has checks, secrets and history, and takes what agents still hold, but nothing of what it does not know", async () => {
  const dataDir = stack.folder();
  const backup = join(stack.folder(), "backup");
  const recovery = join(stack.folder(), "recovery");
  const controlPlane = await stack.controlPlane({ dataDir });
  const { locationId, runnerKey } = await createLocation(controlPlane, "going on");
  const agent = stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const where = { locationId, url: `${stack.target.url}/old` };
  const checks = await createChecks(controlPlane, { ...where, count: 30 });
  checks.push(await createSecretCheck(controlPlane, locationId));
  await untilAllHaveResults(controlPlane, checks);

  expect(await operate(dataDir, "backup", backup)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^backup in .*\/backup: \d+ MB, as of \S+Z\n/m),
  });
  expect((await operate(dataDir, "secrets", "export-key", recovery)).code).toBe(0);
  const restoredFromMs = Date.now();

  // A check that the backup does not know: the agent runs it on while the service is away.
  const [unknown] = (await createChecks(controlPlane, {
    ...where,
    count: 1,
    url: `${stack.target.url}/unknown`,
  })) as [Check];
  await untilAllHaveResults(controlPlane, [unknown]);
  await controlPlane.process.kill9();
  // A killed service leaves its database to the next one; here the whole machine is gone.
  const database = readPostmaster(join(dataDir, "postgres"));
  if (database) await stopPostmaster(database.pid, "immediate");
  const awayFromMs = Date.now();
  await delay(12_000);

  // The agent still asks the target, which is this process: thousands of files are not deleted in one go.
  for (const name of ["postgres", "secret-key"]) await rm(join(dataDir, name), { recursive: true });
  const refused = await operate(dataDir, "restore", backup);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("credentials need their key") });
  expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  const restored = await operate(dataDir, "restore", backup, "--key-file", recovery);
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining("start the service as before") });
  await controlPlane.restart();

  const [later] = (await createChecks(controlPlane, {
    ...where,
    count: 1,
    url: `${stack.target.url}/later`,
  })) as [Check];
  const audit = await auditOnceComplete(controlPlane, checks, { fromMs: awayFromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(30);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  for (const check of checks) {
    const before = (await resultsOf(controlPlane, check)).filter(
      ({ slotAt }) => Date.parse(slotAt) < restoredFromMs,
    );
    expect(before.length).toBeGreaterThan(0);
  }

  // The agent's spool holds results of a check that the restored database doesn't have. They are nobody else's.
  await untilAllHaveResults(controlPlane, [later]);
  expect((await controlPlane.call("GET", `/api/checks/${unknown.id}`)).status).toBe(404);
  for (const { startedAt } of await resultsOf(controlPlane, later))
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(later.createdAt) - 1_000);
  expect(agent.hasEnded()).toBe(false);
});
