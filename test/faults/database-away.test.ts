import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { untilReady } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

test("the embedded PostgreSQL killed under load is started again and no slot is lost", async () => {
  const dataDir = stack.folder();
  const controlPlane = await stack.controlPlane({ dataDir });
  const { locationId, runnerKey } = await createLocation(controlPlane, "steady");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: 100, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);

  const fromMs = Date.now();
  await delay(3_000);
  const postmasterFile = join(dataDir, "postgres", "postmaster.pid");
  const postmasterPid = Number(readFileSync(postmasterFile, "utf8").split("\n")[0]);
  process.kill(postmasterPid, "SIGKILL");
  await until("another postmaster runs", () => {
    const pid = Number(readFileSync(postmasterFile, "utf8").split("\n")[0]);
    return pid !== postmasterPid;
  });
  await untilReady(controlPlane);
  await delay(8_000);

  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(80);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  expect(controlPlane.process.hasEnded()).toBe(false);
});

test("a database that is down at start is waited for, and /readyz and pages say so", async () => {
  const { proxiedUrl, proxy } = await stack.database({ template: false });
  proxy.setMode("refuse");
  const controlPlane = await stack.controlPlane({ databaseUrl: proxiedUrl, dontWait: true });

  await until("/healthz answers", async () => (await fetch(`${controlPlane.url}/healthz`)).status === 200);
  const notReady = await controlPlane.fetch("/readyz");
  expect(notReady.status).toBe(503);
  expect(await notReady.text()).toMatch(/database/i);
  const openPage = () => controlPlane.fetch("/checks", { headers: { accept: "text/html" } });
  const page = await openPage();
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await page.text()).toContain("<h1>svc is starting</h1>");

  proxy.setMode("up");
  await untilReady(controlPlane);
  expect((await openPage()).status).toBe(200);
  expect((await controlPlane.call("GET", "/api/checks")).status).toBe(200);
});

test("a database that goes away costs no slot, answers 503 meanwhile, and the control plane recovers by itself", async () => {
  const { proxiedUrl, proxy } = await stack.database();
  const controlPlane = await stack.controlPlane({ databaseUrl: proxiedUrl });
  const { locationId, runnerKey } = await createLocation(controlPlane, "patient");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: 50, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);

  const fromMs = Date.now();
  proxy.setMode("refuse");
  await until(
    "/readyz says that the database is away",
    async () => (await fetch(`${controlPlane.url}/readyz`)).status === 503,
  );
  const answer = await controlPlane.call("GET", "/api/checks");
  expect(answer.status).toBe(503);
  expect(answer.body.error).toEqual(expect.any(String));
  await delay(12_000);
  proxy.setMode("up");
  await untilReady(controlPlane);

  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
});
