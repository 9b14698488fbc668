import { newId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../../test-support/builders.ts";
import { createLocation, useChecksApp } from "../../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

describe("runners and health", () => {
  async function connectRunner(locationId: string, lastHeartbeatMs: number, overrides: object = {}) {
    const { knex } = test.services;
    const locationKey = await keyOfLocation(knex, locationId);
    await knex("runners").insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      locationKey,
      runnerKeyId: newId("runnerKey"),
      locationKeys: [locationKey],
      hostname: "rack-1",
      version: "0.1.0",
      capabilities: ["http"],
      capacityPerSecond: 10,
      replicaId: "a",
      connectedAt: new Date(lastHeartbeatMs),
      lastHeartbeatAt: new Date(lastHeartbeatMs),
      leaseUntil: new Date(Date.now() + 60_000),
      stats: { assignedChecks: 7, activeRuns: 2, backlog: 1, latenessP99Ms: 3 },
      ...overrides,
    });
  }

  async function healthOf(locationId: string) {
    const { body } = await test.call("GET", "/api/locations");
    return body.locations.find((location: { id: string }) => location.id === locationId);
  }

  it("a runner is listed with the figures of its last heartbeat and the state of its lease", async () => {
    const { id } = await createLocation(test);
    await connectRunner(id, test.clock.nowMs());
    await connectRunner(id, test.clock.nowMs() - 1000, { draining: true, hostname: "rack-2" });
    await connectRunner(id, test.clock.nowMs() - 2000, { leaseUntil: new Date(0), hostname: "rack-3" });
    const { body } = await test.call("GET", `/api/locations/${id}/runners`);
    expect(body.runners[0]).toEqual({
      id: expect.stringMatching(/^rnr_/),
      hostname: "rack-1",
      version: "0.1.0",
      capabilities: ["http"],
      status: "online",
      lastHeartbeat: new Date(test.clock.nowMs()).toISOString(),
      assignedChecks: 7,
      activeRuns: 2,
      backlog: 1,
      droppedResults: 0,
      latenessP99Ms: 3,
      loopBusyBasisPoints: 0,
      accepting: true,
    });
    expect(body.runners.map((runner: { status: string }) => runner.status)).toEqual([
      "online",
      "draining",
      "offline",
    ]);
  });

  it("health follows the newest heartbeat", async () => {
    const { id } = await createLocation(test);
    await connectRunner(id, test.clock.nowMs() - 200_000);
    expect(await healthOf(id)).toMatchObject({ health: "offline" });
    await connectRunner(id, test.clock.nowMs() - 100_000);
    expect(await healthOf(id)).toMatchObject({ health: "degraded" });
    await connectRunner(id, test.clock.nowMs() - 1_000);
    expect(await healthOf(id)).toMatchObject({
      health: "active",
      lastHeartbeat: new Date(test.clock.nowMs() - 1_000).toISOString(),
    });
  });

  it("a slot that was due a moment ago and missed makes the location degraded, an old one does not", async () => {
    const { knex } = test.services;
    const { id } = await createLocation(test);
    await connectRunner(id, test.clock.nowMs());
    // Second of two locations: its slots are due half a period later.
    const body = aCheck({ locations: ["loc_us_east", id], frequencySeconds: 3600 });
    const check = await test.call("POST", "/api/checks", body);
    const [checkKey, locationKey] = [
      await keyOfCheck(knex, check.body.check.id),
      await keyOfLocation(knex, id),
    ];
    const miss = (dueMs: number) =>
      knex("missedSlots").insert({
        checkKey,
        locationKey,
        slotMs: dueMs - 1_800_000,
        reason: "runner_crash",
      });
    await miss(test.clock.nowMs() - 181_000);
    expect(await healthOf(id)).toMatchObject({ health: "active" });
    await miss(test.clock.nowMs() - 100_000);
    expect(await healthOf(id)).toMatchObject({ health: "degraded" });
  });

  it.each([
    ["was left out since the run before it was open", "previous_run"],
    ["no runner heard of, since the service had no database,", "service_unavailable"],
  ])("a slot that %s leaves the location's health alone", async (_why, reason) => {
    const { knex } = test.services;
    const { id } = await createLocation(test);
    await connectRunner(id, test.clock.nowMs());
    const check = await test.call("POST", "/api/checks", aCheck({ locations: [id] }));
    await knex("missedSlots").insert({
      checkKey: await keyOfCheck(knex, check.body.check.id),
      locationKey: await keyOfLocation(knex, id),
      slotMs: test.clock.nowMs() - 1_000,
      reason,
    });
    expect(await healthOf(id)).toMatchObject({ health: "active" });
  });

  it("a check that none of the runners can run makes the location degraded", async () => {
    const { id } = await createLocation(test);
    await connectRunner(id, test.clock.nowMs());
    const mcpConfig = { endpoint: "http://127.0.0.1:9/" };
    const body = { name: "tools", type: "mcp", locations: [id], mcpConfig };
    const { body: created } = await test.call("POST", "/api/checks", body);
    expect(await healthOf(id)).toMatchObject({ health: "degraded" });
    await test.call("PUT", `/api/checks/${created.check.id}`, { enabled: false });
    expect(await healthOf(id)).toMatchObject({ health: "active" });
  });
});
