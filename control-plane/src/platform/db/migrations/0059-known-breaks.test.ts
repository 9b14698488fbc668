import { newId } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../test-support/database.ts";
import { up } from "./0059-known-breaks.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** A runner that was present from 1000 to 9000 ms and whose newest session began then. Returns its key. */
async function aRunner(connectedAtMs: number): Promise<number> {
  const { knex } = database;
  const [{ key }] = await knex("runners")
    .insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      runnerKeyId: newId("runnerKey"),
      locationKeys: [1],
      hostname: "h",
      version: "1",
      capabilities: ["http"],
      capacityPerSecond: 1,
      replicaId: "a",
      connectedAt: new Date(connectedAtMs),
      lastHeartbeatAt: new Date(9_000),
      leaseUntil: new Date(9_000),
    })
    .returning("key");
  const times = { fromMs: 1_000, untilMs: 9_000 };
  await knex("runnerPresence").insert({ runnerKey: key, locationKey: 1, capabilities: ["http"], ...times });
  return key;
}

test("the newest session of a runner that was there before it is a break, and twice is harmless", async () => {
  const again = await aRunner(5_000);
  await aRunner(1_000);
  for (let i = 0; i < 2; i++) await up(database.knex);
  expect(await database.knex("runnerBreaks")).toEqual([
    { locationKey: 1, runnerKey: again, fromMs: 5_000, untilMs: 5_000 },
  ]);
});
