import { randomUUID } from "node:crypto";
import type { RunnerKeyId } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { aTeam, type TestTeam } from "../../test-support/fleet.ts";
import { GRACE_MS, LEASE_MS } from "../fleet/timing.ts";
import { openRunnerSession } from "./store.ts";

let database: TestDatabase;
let team: TestTeam;
beforeAll(async () => {
  database = await createTestDatabase();
  team = await aTeam(database.knex);
});
afterAll(() => database?.drop());

/** A runner whose sessions are opened one after the other. Returns a function that opens the next one, some time later. */
async function aRunner() {
  const [runnerUuid, processUuid] = [randomUUID(), randomUUID()];
  const open = (ofProcess: string = processUuid) =>
    openRunnerSession(database.knex, {
      sessionId: randomUUID(),
      runnerKeyId: team.runnerKeyId as RunnerKeyId,
      runnerUuid,
      processUuid: ofProcess,
      locationKey: team.locationKey,
      locationKeys: [team.locationKey],
      hostname: "host",
      version: "1",
      capabilities: ["http"],
      capacityPerSecond: 10,
      replicaId: "replica",
      perKeyMax: 100,
    });
  const { key: runnerKey } = await open();
  const stored = (table: string) => database.knex(table).where({ runnerKey }).orderBy("fromMs");
  return {
    runnerKey,
    stored,
    /** @param silentMs how long its last heartbeat lies back by then */
    openAfter: async (laterMs: number, { silentMs = laterMs, ofProcess = processUuid as string } = {}) => {
      const at = (column: string, backMs: number) => database.knex.raw("?? - ?::bigint", [column, backMs]);
      await database
        .knex("runnerPresence")
        .where({ runnerKey })
        .update({ fromMs: at("from_ms", laterMs), untilMs: at("until_ms", silentMs) });
      await database
        .knex("runnerBreaks")
        .where({ runnerKey })
        .update({ fromMs: at("from_ms", laterMs), untilMs: at("until_ms", laterMs) });
      await open(ofProcess);
    },
  };
}

test("a session of the same process continues a presence, and its break begins with the end of the lease", async () => {
  const runner = await aRunner();
  await runner.openAfter(60_000);
  const [presence, ...others] = await runner.stored("runnerPresence");
  expect(others).toEqual([]);
  const [first] = await runner.stored("runnerBreaks");
  expect(first.untilMs).toBe(presence.untilMs);
  expect(first.fromMs).toBe(presence.fromMs + LEASE_MS);
});

test("breaks that lie further apart than a grace are kept each, and closer ones become one", async () => {
  const runner = await aRunner();
  await runner.openAfter(5_000);
  await runner.openAfter(GRACE_MS + 1_000, { silentMs: 3_000 });
  for (let i = 0; i < 3; i++) await runner.openAfter(10_000, { silentMs: 3_000 });
  const breaks = await runner.stored("runnerBreaks");
  expect(breaks).toHaveLength(2);
  const [first, second] = breaks;
  expect(first.untilMs).toBe(first.fromMs);
  expect(second.fromMs - first.untilMs).toBeGreaterThanOrEqual(GRACE_MS + 1_000);
  expect(second.untilMs - second.fromMs).toBeGreaterThanOrEqual(30_000);
});

test("another process begins a presence of its own, without a break, once the lease is over", async () => {
  const runner = await aRunner();
  await runner.openAfter(LEASE_MS + 1_000, { ofProcess: randomUUID() });
  expect(await runner.stored("runnerPresence")).toHaveLength(2);
  expect(await runner.stored("runnerBreaks")).toEqual([]);
});
