import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

test("two processes of an agent share its checks; one that is killed loses no slot", async () => {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "two processes");
  const dataDir = stack.folder();
  const agent = stack.runner({
    key: runnerKey,
    port: controlPlane.runnerPort,
    dataDir,
    environment: { SVC_RUNNER_PROCESSES: "2" },
  });
  const checks = await createChecks(controlPlane, { count: 60, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);
  await until("both processes hold checks", async () => {
    const { runners } = await controlPlane.ok<{ runners: { assignedChecks: number }[] }>(
      "GET",
      `/api/locations/${locationId}/runners`,
    );
    return runners.length === 2 && runners.every((runner) => runner.assignedChecks > 10);
  });

  const fromMs = Date.now();
  await delay(2_000);
  const lock = join(dataDir, "processes/2/lock");
  const { pid } = JSON.parse(readFileSync(lock, "utf8")) as { pid: number };
  process.kill(pid, "SIGKILL");
  await until("the process was started again", () =>
    agent.output().includes("process 2 ended (SIGKILL); it is started again in 1 s"),
  );
  await delay(12_000);
  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(60);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });

  expect(await agent.stop()).toBe(0);
  expect(agent.output().match(/"resultsLeftInSpool":0/g)).toHaveLength(2);
  expect([join(dataDir, "lock"), lock].filter(existsSync)).toEqual([]);
});
