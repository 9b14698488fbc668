import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import {
  aBatch,
  aCheck,
  aTeam,
  recentSlots,
  startTestFleet,
  type TestFleet,
  testServices,
} from "../../test-support/fleet.ts";
import { connectAgent } from "../../test-support/test-agent.ts";
import { openPool } from "../platform/db/pool.ts";

let database: TestDatabase;
let fleet: TestFleet;

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

  test("a check whose secrets can't be opened is not run, and no other suffers", async () => {
    const team = await aTeam(database.knex);
    const [sealed, plain] = [await aCheck(database.knex, team), await aCheck(database.knex, team)];
    await database
      .knex("checks")
      .where({ key: sealed.key })
      .update({ configSecrets: Buffer.alloc(64) });
    const agent = connectAgent(fleet.url, team.runnerSecret);
    await agent.next("snapshot", (snapshot) => snapshot.last);
    expect([...agent.assignments().keys()]).toEqual([`${plain.key}:${team.locationKey}`]);
    await agent.leave();
  });

  test("a goodbye is answered after what came before it is acknowledged", async () => {
    const team = await aTeam(database.knex);
    const check = await aCheck(database.knex, team);
    const agent = connectAgent(fleet.url, team.runnerSecret);
    await agent.next("snapshot", (snapshot) => snapshot.last);
    const [slotMs = 0] = recentSlots(check, 1);
    agent.send({
      case: "resultBatch",
      value: aBatch(5, [{ checkKey: check.key, locationKey: team.locationKey, slotMs }]),
    });
    await agent.leave();
    expect(agent.received.at(-1)?.message).toMatchObject({ case: "ack", value: { seq: 5n } });
    expect(await agent.ended).toBeUndefined();
  });

  test("a control plane that shuts down asks its agents to go, and acknowledges what has arrived", async () => {
    const team = await aTeam(database.knex);
    const check = await aCheck(database.knex, team);
    const ending = await startTestFleet(testServices(database.knex));
    const agent = connectAgent(ending.url, team.runnerSecret);
    await agent.next("snapshot", (snapshot) => snapshot.last);
    const [slotMs = 0] = recentSlots(check, 1);
    agent.send({
      case: "resultBatch",
      value: aBatch(6, [{ checkKey: check.key, locationKey: team.locationKey, slotMs }]),
    });
    agent.heartbeat();
    await agent.next("heartbeatReply");
    await ending.close();
    expect(await agent.ended).toBeUndefined();
    expect((await agent.next("drain")).reason).toMatch(/shutting down/);
    expect((await agent.next("ack")).seq).toBe(6n);
  });

  test("an agent that comes while the database is away is asked to try again", async () => {
    const team = await aTeam(database.knex);
    const away = openPool("postgres://127.0.0.1:1/none", { poolMax: 1 });
    const blind = await startTestFleet(testServices(away));
    const error = ConnectError.from(await connectAgent(blind.url, team.runnerSecret).ended);
    expect(error.code).toBe(Code.Unavailable);
    await blind.close();
    await away.destroy();
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
