import { MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { hourOf } from "../rollups/buckets.ts";
import { markLateBuckets } from "./store.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("an hour is noted ten minutes after a run of it may have begun, which is a minute before its slot at most", async () => {
  const { knex } = database;
  const noted = async () => (await knex("lateHours").select("hourMs")).map(({ hourMs }) => hourMs);
  const markFrom = async (minutes: number) => {
    const bucketMs = Math.floor(Date.now() - minutes * MINUTE_MS);
    await knex.transaction((trx) => markLateBuckets(trx, [bucketMs]));
    return bucketMs;
  };
  await markFrom(6);
  expect(await noted()).toEqual([]);
  const bucketMs = await markFrom(9.1);
  expect(await noted()).toEqual([hourOf(bucketMs)]);
});
