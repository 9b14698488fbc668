import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../test-support/database.ts";
import { aTeam } from "../../../../test-support/fleet.ts";
import { up } from "./0035-older-changes-bytes.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

it("entries of the change log from before the column get the bytes that new ones get", async () => {
  const { knex } = database;
  const { id: teamId } = await aTeam(knex);
  const change = {
    teamId,
    action: "updated",
    type: "check",
    resourceId: "chk_a",
    source: "api",
    name: "änd",
  };
  const changedFields = JSON.stringify([{ field: "url", newValue: "x".repeat(5_000) }]);
  const createdAt = new Date(0);
  await knex("changes").insert([
    { ...change, id: "new", changedFields, createdAt },
    { ...change, id: "old", changedFields, createdAt },
  ]);
  await knex("changes").where({ id: "old" }).update({ storedBytes: 0 });
  await up(knex);
  const [bytes, others] = await knex("changes").where({ teamId }).select("storedBytes");
  expect(bytes.storedBytes).toBeGreaterThan(5_200);
  expect(others).toEqual(bytes);
});
