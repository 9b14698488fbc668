import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { testWithStack } from "../harness/stack-of-test.ts";

testWithStack.concurrent(
  "a network that swallows everything between agent and control plane for 30 s costs and doubles no slot",
  async ({ stack }) => {
    const controlPlane = await stack.controlPlane();
    const { locationId, runnerKey } = await createLocation(controlPlane, "behind a bad line");
    const proxy = await stack.proxy(controlPlane.runnerPort);
    stack.runner({ key: runnerKey, port: proxy.port });
    const checks = await createChecks(controlPlane, { count: 100, locationId, url: stack.target.url });
    await untilAllHaveResults(controlPlane, checks);

    const fromMs = Date.now();
    await delay(2_000);
    proxy.setMode("blackhole");
    await delay(30_000);
    proxy.setMode("up");
    await delay(5_000);

    const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
    expect(audit.expected).toBeGreaterThan(300);
    expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
  },
);

testWithStack.concurrent(
  "an agent whose clock is 90 s wrong runs its slots on the grid, at the right time",
  async ({ stack }) => {
    const controlPlane = await stack.controlPlane();
    const { locationId, runnerKey } = await createLocation(controlPlane, "wrong clock");
    const agent = stack.runner({ key: runnerKey, port: controlPlane.runnerPort, clockErrorMs: 90_000 });
    const checks = await createChecks(controlPlane, { count: 20, locationId, url: stack.target.url });
    await untilAllHaveResults(controlPlane, checks);

    const fromMs = Date.now();
    await delay(12_000);

    const toMs = Date.now();
    const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs });
    expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
    const { results } = await controlPlane.ok<{ results: { slotAt: string; startedAt: string }[] }>(
      "GET",
      `/api/checks/${checks[0]?.id}/results`,
    );
    // The first run waits until the agent has started.
    const ofSchedule = results.filter(({ slotAt }) => Date.parse(slotAt) >= fromMs);
    expect(ofSchedule).not.toEqual([]);
    for (const { slotAt, startedAt } of ofSchedule)
      expect(Math.abs(Date.parse(startedAt) - Date.parse(slotAt))).toBeLessThan(5_000);
    expect(agent.output()).toMatch(/clock/i);
  },
);
