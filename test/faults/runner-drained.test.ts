import { setTimeout as delay } from "node:timers/promises";
import type { Coverage } from "@svc/contract";
import { expect, test } from "vitest";
import {
  auditOnceComplete,
  auditSlots,
  createChecks,
  createLocation,
  longestStartDelayMs,
  untilAllHaveResults,
} from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

test("two agents share a location; when one is drained no slot is missed, doubled or late", async () => {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "one is drained");
  const agents = [0, 1].map(() => stack.runner({ key: runnerKey, port: controlPlane.runnerPort }));
  const checks = await createChecks(controlPlane, { count: 60, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);
  await until("both agents hold checks", async () => {
    const { runners } = await controlPlane.ok<{ runners: { assignedChecks: number }[] }>(
      "GET",
      `/api/locations/${locationId}/runners`,
    );
    return runners.length === 2 && runners.every((runner) => runner.assignedChecks > 10);
  });

  const fromMs = Date.now();
  await delay(3_000);
  const beganMs = Date.now();
  expect(await agents[0]?.stop()).toBe(0);
  expect(Date.now() - beganMs).toBeLessThan(10_000);
  expect(agents[0]?.output()).toContain('"resultsLeftInSpool":0');
  await delay(10_000);

  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(60);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  // What the machine adds to any start is seen before the drain.
  const undisturbedMs = await longestStartDelayMs(controlPlane, checks, { fromMs, toMs: beganMs });
  const sinceDrain = { fromMs: beganMs, toMs: Date.now() };
  expect(await longestStartDelayMs(controlPlane, checks, sinceDrain)).toBeLessThan(2_000 + undisturbedMs);
});

test("slots that fall due while the last agent drains, or after it, are missing since there was no runner", async () => {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "the last one is drained");
  const agent = stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: 30, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);
  // Runs under way keep the agent draining while the slots of other checks fall due.
  stack.target.delayBy(4_000);

  const fromMs = Date.now();
  await agent.stop();
  const endedMs = Date.now();
  expect(agent.output()).toContain('"resultsLeftInSpool":0');
  await until(
    "coverage lists every slot without a result, each for want of a runner",
    async () => {
      const { missing } = await auditSlots(controlPlane, checks, { fromMs, toMs: endedMs + 5_000 });
      if (missing.length < 10) return false;
      for (const check of checks) {
        const coverage = await controlPlane.ok<Coverage>("GET", `/api/checks/${check.id}/coverage?range=1h`);
        const listed = new Map(
          coverage.locations[0]?.missing.map(({ slotAt, reason }) => [Date.parse(slotAt), reason]),
        );
        for (const { slotMs } of missing.filter(({ checkId }) => checkId === check.id))
          if (listed.get(slotMs) !== "no_runner") return false;
      }
      return missing.some(({ slotMs }) => slotMs < endedMs);
    },
    { withinMs: 90_000, everyMs: 1_000 },
  );
});
