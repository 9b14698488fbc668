import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { aCheck, aTeam } from "../../test-support/fleet.ts";
import { readChecksPage, readLocations } from "./fleet-store.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

async function addRevisions(
  checkKey: number,
  revisions: readonly { frequencySeconds: number; locationKeys: number[] }[],
) {
  const { rows } = await database.knex.raw("SELECT max(revision) AS newest FROM check_revisions");
  const newest = Number(rows[0].newest);
  await database.knex.batchInsert(
    "check_revisions",
    revisions.map((revision, index) => ({
      ...revision,
      checkKey,
      revision: newest + 1 + index,
      enabled: index % 2 === 0,
      effectiveFromMs: 1_000_000 + index,
    })),
  );
}

const revisionsOf = async (checkKey: number) =>
  (await readChecksPage(database.knex, checkKey - 1, 1))[0]?.revisions ?? [];

test("a check that was switched on and off a thousand times is read with one schedule, since the last time", async () => {
  const team = await aTeam(database.knex);
  const check = await aCheck(database.knex, team);
  const same = { frequencySeconds: 60, locationKeys: [team.locationKey] };
  await addRevisions(check.key, new Array(1_500).fill(same));
  expect(await revisionsOf(check.key)).toEqual([{ ...same, effectiveFromMs: 1_001_499 }]);
});

test("different schedules are read oldest first, the newest hundred of them", async () => {
  const team = await aTeam(database.knex);
  const check = await aCheck(database.knex, team);
  const schedules = Array.from({ length: 150 }, (_, i) => ({
    frequencySeconds: 10 + i,
    locationKeys: [team.locationKey],
  }));
  await addRevisions(check.key, schedules);
  const revisions = await revisionsOf(check.key);
  expect(revisions.map(({ frequencySeconds }) => frequencySeconds)).toEqual(
    schedules.slice(-100).map(({ frequencySeconds }) => frequencySeconds),
  );
});

test("deleted locations are not read", async () => {
  const [kept, deleted] = [await aTeam(database.knex), await aTeam(database.knex)];
  await database.knex("locations").where({ key: deleted.locationKey }).update({ deletedAt: new Date() });
  const keys = (await readLocations(database.knex)).map(({ key }) => key);
  expect(keys).toContain(kept.locationKey);
  expect(keys).not.toContain(deleted.locationKey);
});
