import { setTimeout as delay } from "node:timers/promises";
import type { Coverage } from "@svc/contract";
import { expect } from "vitest";
import {
  auditOnceComplete,
  auditSlots,
  createChecks,
  createLocation,
  longestStartDelayMs,
  untilAllHaveResults,
} from "../harness/fleet.ts";
import { testWithStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

/** Longest that a slot due after a kill may wait for its run, ms: the lease and 2 s. */
const STARTED_WITHIN_MS = 17_000;

testWithStack.concurrent(
  "an agent that is killed and started again within the grace loses no slot",
  async ({ stack }) => {
    const controlPlane = await stack.controlPlane();
    const { locationId, runnerKey } = await createLocation(controlPlane, "one agent");
    const dataDir = stack.folder();
    const options = { key: runnerKey, port: controlPlane.runnerPort, dataDir };
    const first = stack.runner(options);
    const checks = await createChecks(controlPlane, { count: 100, locationId, url: stack.target.url });
    await untilAllHaveResults(controlPlane, checks);

    const fromMs = Date.now();
    await delay(5_000);
    await first.kill9();
    await delay(6_000);
    stack.runner(options);
    await delay(12_000);

    const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
    expect(audit.expected).toBeGreaterThan(200);
    expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  },
);

testWithStack.concurrent(
  "two agents share a location; when one is killed the other runs all its slots",
  async ({ stack }) => {
    const controlPlane = await stack.controlPlane();
    const { locationId, runnerKey } = await createLocation(controlPlane, "two agents");
    const agents = [0, 1].map(() => stack.runner({ key: runnerKey, port: controlPlane.runnerPort }));
    const checks = await createChecks(controlPlane, { count: 100, locationId, url: stack.target.url });
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
    await agents[0]?.kill9();
    const killedAtMs = Date.now();
    await delay(22_000);

    const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
    expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
    // What the machine adds to any start is seen before the kill.
    const undisturbedMs = await longestStartDelayMs(controlPlane, checks, { fromMs, toMs: killedAtMs });
    const sinceKill = { fromMs: killedAtMs, toMs: Date.now() };
    expect(await longestStartDelayMs(controlPlane, checks, sinceKill)).toBeLessThanOrEqual(
      STARTED_WITHIN_MS + undisturbedMs,
    );
  },
);

testWithStack.concurrent(
  "slots that nothing was alive to run are missing, and coverage lists exactly those",
  async ({ stack }) => {
    const controlPlane = await stack.controlPlane();
    const { locationId, runnerKey } = await createLocation(controlPlane, "gone for long");
    const options = { key: runnerKey, port: controlPlane.runnerPort, dataDir: stack.folder() };
    const first = stack.runner(options);
    const checks = await createChecks(controlPlane, { count: 20, locationId, url: stack.target.url });
    await untilAllHaveResults(controlPlane, checks);

    const fromMs = Date.now();
    await first.stop();
    await delay(45_000);
    stack.runner(options);
    const toMs = Date.now();
    await until(
      "the slots within the grace are run",
      async () =>
        (await auditSlots(controlPlane, checks, { fromMs: toMs - 20_000, toMs })).missing.length === 0,
      { withinMs: 20_000 },
    );

    // A slot that was due just before the agent came back counts once it can't be running any more.
    await until("coverage lists what has no result", async () => {
      const audit = await auditSlots(controlPlane, checks, { fromMs, toMs });
      expect(audit.missing.length).toBeGreaterThan(0);
      for (const check of checks) {
        const coverage = await controlPlane.ok<Coverage>("GET", `/api/checks/${check.id}/coverage?range=1h`);
        const listed = coverage.locations[0]?.missing.map((slot) => Date.parse(slot.slotAt)).sort() ?? [];
        const missing = audit.missing
          .filter(({ checkId }) => checkId === check.id)
          .map(({ slotMs }) => slotMs);
        expect(listed).toEqual(missing.sort());
        expect(coverage.locations[0]?.missing.every((slot) => slot.reason === "no_runner")).toBe(true);
      }
      return true;
    });
  },
);
