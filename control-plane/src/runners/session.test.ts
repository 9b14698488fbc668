import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import {
  aBatch,
  aCheck,
  aTeam,
  connectAgent,
  recentSlots,
  startTestFleet,
  testServices,
} from "../../test-support/fleet.ts";
import type { RunningFleet } from "./main.ts";

let database: TestDatabase;
let fleet: RunningFleet;

beforeAll(async () => {
  database = await createTestDatabase();
  fleet = await startTestFleet(testServices(database.knex));
});
afterAll(async () => {
  await fleet?.close();
  await database?.drop();
});

describe("a session", () => {
  test("an agent gets its checks, with secrets opened, and its results are stored and acknowledged", async () => {
    const team = await aTeam(database.knex);
    const check = await aCheck(database.knex, team, { auth: { type: "bearer", token: "secret" } });
    const agent = connectAgent(fleet.url, team.runnerSecret);
    const welcome = await agent.next("welcome");
    expect(welcome).toMatchObject({
      heartbeatIntervalMs: 5000,
      leaseMs: 15_000,
      graceMs: 30_000,
      hosted: false,
    });
    expect(welcome.locations.map((location) => location.locationId)).toEqual([team.locationId]);
    await agent.next("snapshot", (snapshot) => snapshot.last);
    expect([...agent.assignments().keys()]).toEqual([`${check.key}:${team.locationKey}`]);
    expect(JSON.parse(agent.checks().get(BigInt(check.key))?.configJson ?? "")).toEqual({
      url: "http://127.0.0.1:1/",
      auth: { type: "bearer", token: "secret" },
    });
    const rows = recentSlots(check, 3).map((slotMs) => ({
      checkKey: check.key,
      locationKey: team.locationKey,
      slotMs,
    }));
    agent.send({ case: "resultBatch", value: aBatch(1, rows) });
    expect((await agent.next("ack")).rejections).toEqual([]);
    const stored = await database.knex("results").where({ checkKey: check.key }).orderBy("slotMs");
    expect(stored.map((row) => row.slotMs)).toEqual(rows.map((row) => row.slotMs));
    expect(stored[0]).toMatchObject({ status: 1, httpStatusCode: 200, dnsLookupUs: null, traceId: null });
    await agent.leave();
  });

  test("a check created later reaches the agent", async () => {
    const team = await aTeam(database.knex);
    const agent = connectAgent(fleet.url, team.runnerSecret);
    await agent.next("snapshot", (snapshot) => snapshot.last);
    const check = await aCheck(database.knex, team);
    const delta = await agent.next("delta");
    expect(delta.assignments.map((assignment) => Number(assignment.checkKey))).toEqual([check.key]);
    await agent.leave();
  });
});
