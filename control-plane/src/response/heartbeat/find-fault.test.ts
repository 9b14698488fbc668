import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { openSecondPool } from "../../../test-support/database.ts";
import type { ReadinessState } from "../../platform/http/lifecycle.ts";
import { FaultFinder } from "./find-fault.ts";

const MINUTE_MS = 60_000;

let test: TestApp;
let readiness: ReadinessState;
let nowMs: number;
let finder: FaultFinder;
beforeAll(async () => {
  test = await createTestApp({ register: () => undefined });
});
afterAll(() => test.close());
beforeEach(async () => {
  const { knex } = test.services;
  await knex("jobProgress").del();
  await knex("notificationChannels").del();
  readiness = { status: "ready" };
  nowMs = Date.UTC(2026, 5, 1, 12);
  finder = new FaultFinder({ knex, readiness: { check: async () => readiness }, nowMs: () => nowMs });
});

const rollupsDone = (minutesAgo: number) =>
  test.services
    .knex("jobProgress")
    .insert({ job: "rollups", doneUntilMs: nowMs - minutesAgo * MINUTE_MS })
    .onConflict("job")
    .merge();

it("finds none in a new service and in one whose rollups are up to date", async () => {
  expect(await finder.find()).toBeUndefined();
  await rollupsDone(6);
  expect([await finder.find(), await finder.find()]).toEqual([undefined, undefined]);
});

it("gives the reason of a service that is not ready, and stores nothing then", async () => {
  readiness = { status: "unavailable", reason: "the database lacks migration 0099" };
  expect(await finder.find()).toBe("the database lacks migration 0099");
  expect(await test.services.knex("jobProgress").pluck("job")).toEqual([]);
});

it("finds background jobs that stand still, but not those that catch up after a long pause", async () => {
  await rollupsDone(60);
  expect(await finder.find()).toBeUndefined();
  await rollupsDone(40);
  expect(await finder.find()).toBeUndefined();
  expect(await finder.find()).toBe(
    "results have not been counted for 40 minutes: the background jobs stand still",
  );
});

it("finds a database that answers but stores nothing", async () => {
  const { knex } = test.services;
  const name = (await knex.raw("SELECT current_database() AS name")).rows[0].name;
  await knex.raw("ALTER DATABASE ?? SET default_transaction_read_only = on", [name]);
  const readOnly = await openSecondPool(test.database, 1);
  try {
    const other = new FaultFinder({
      knex: readOnly,
      readiness: { check: async () => readiness },
      nowMs: () => nowMs,
    });
    expect(await other.find()).toBe(
      "the database stores nothing: cannot execute INSERT in a read-only transaction",
    );
  } finally {
    await knex.raw("ALTER DATABASE ?? RESET default_transaction_read_only", [name]);
    await readOnly.destroy();
  }
});

it("finds notifications that are due while none is sent; one that is tried again later, or others that are sent, are no fault", async () => {
  const { knex } = test.services;
  const team = await test.createTeam();
  const [channel] = await knex("notificationChannels")
    .insert({
      id: newId("channel"),
      teamId: team.teamId,
      name: "a",
      type: "webhook",
      config: Buffer.from(""),
    })
    .returning("key");
  const [row] = await knex("notifications")
    .insert({
      id: newId("notification"),
      teamId: team.teamId,
      channelKey: channel?.key,
      kind: "alert",
      payload: {},
      dueAt: knex.raw("clock_timestamp() - interval '6 minutes'"),
    })
    .returning("key");
  expect(await finder.find()).toBe("notifications have been due for 5 minutes and none was sent");
  await knex("notificationDeliveries").insert({
    id: newId("notification"),
    channelKey: channel?.key,
    notificationKey: row?.key,
    attempt: 1,
    status: "failed",
    durationMs: 1,
  });
  expect(await finder.find()).toBeUndefined();
  await knex("notificationDeliveries").update({
    createdAt: knex.raw("clock_timestamp() - interval '7 minutes'"),
  });
  expect(await finder.find()).toBeDefined();
  // The first waits for its next attempt, and another one about the same for the first.
  await knex("notifications").update({
    subjectId: "ain_1",
    dueAt: knex.raw("clock_timestamp() + interval '1 hour'"),
  });
  await knex("notifications").insert({
    id: newId("notification"),
    teamId: team.teamId,
    channelKey: channel?.key,
    kind: "alert",
    subjectId: "ain_1",
    payload: {},
    dueAt: knex.raw("clock_timestamp() - interval '30 minutes'"),
  });
  expect(await finder.find()).toBeUndefined();
});
