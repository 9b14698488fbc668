import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

test("a control plane that is killed under load and started again has every slot, run and spooled meanwhile", async () => {
  const controlPlane = await stack.controlPlane({ dataDir: stack.folder() });
  const { locationId, runnerKey } = await createLocation(controlPlane, "watching on");
  const agent = stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: 100, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);

  const fromMs = Date.now();
  await delay(3_000);
  await controlPlane.process.kill9();
  const hitsBefore = total(stack.target.hits);
  await delay(12_000);
  expect(total(stack.target.hits) - hitsBefore).toBeGreaterThan(80);
  await controlPlane.restart();
  await delay(5_000);

  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(150);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  expect(agent.hasEnded()).toBe(false);
});

test("an agent that restarts while the control plane is away runs on from its stored assignment", async () => {
  const controlPlane = await stack.controlPlane({ dataDir: stack.folder() });
  const { locationId, runnerKey } = await createLocation(controlPlane, "alone");
  const options = { key: runnerKey, port: controlPlane.runnerPort, dataDir: stack.folder() };
  const first = stack.runner(options);
  const checks = await createChecks(controlPlane, { count: 30, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);

  const fromMs = Date.now();
  await controlPlane.process.kill9();
  await first.kill9();
  stack.runner(options);
  const hitsBefore = total(stack.target.hits);
  await until("the agent runs checks", () => total(stack.target.hits) > hitsBefore + 30, {
    withinMs: 30_000,
  });
  await controlPlane.restart();

  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
});

function total(hits: Map<string, number>): number {
  return [...hits.values()].reduce((sum, count) => sum + count, 0);
}
