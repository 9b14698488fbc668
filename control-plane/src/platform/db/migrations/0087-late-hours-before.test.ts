import { DAY_MS, HOUR_MS } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../test-support/database.ts";
import { dayOf, ensurePartitions } from "../../../results/retention/partitions.ts";
import { up } from "./0087-late-hours-before.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("notes the hours of results that were stored late before, and no others, also when it is run again", async () => {
  const { knex } = database;
  const dayMs = dayOf(Date.now()) - 5 * DAY_MS;
  await ensurePartitions(knex, dayMs, dayMs + DAY_MS - 1);
  const store = (slotMs: number, afterMs: number, startDelayMs = 0) =>
    knex("results").insert({
      ...{ checkKey: 1, locationKey: 1, slotMs, createdAt: new Date(slotMs + afterMs) },
      ...{ runnerKey: 1, startDelayMs, elapsedUs: 1, responseTimeUs: 1, status: 1 },
    });
  await store(dayMs + 1, 2_000);
  await store(dayMs + 2, 700_000, 200_000);
  await store(dayMs + HOUR_MS, 3 * HOUR_MS);
  await store(dayMs + HOUR_MS + 1, 3 * HOUR_MS + 5);
  await store(dayMs + 2 * HOUR_MS, 600_001);
  for (let run = 0; run < 2; run++) await knex.transaction((trx) => up(trx));
  expect(await knex("lateHours").select("hourMs", "storedHourMs").orderBy("hourMs")).toEqual([
    { hourMs: dayMs + HOUR_MS, storedHourMs: dayMs + 4 * HOUR_MS },
    { hourMs: dayMs + 2 * HOUR_MS, storedHourMs: dayMs + 2 * HOUR_MS },
  ]);
});
