import type { Knex } from "knex";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { aCheck, aTeam, type TestCheck } from "../../test-support/fleet.ts";
import { postgresFleetSource } from "./fleet-source.ts";
import { FleetState } from "./fleet-state.ts";
import { FleetWatch } from "./fleet-watch.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** The database, whose reads of checks fail while `isAway` says so. */
function unreliable(knex: Knex, isAway: (sql: string) => boolean): Knex {
  return new Proxy(knex, {
    get(target, name) {
      if (name !== "raw") return Reflect.get(target, name);
      return (sql: string, bindings: Knex.RawBinding[]) =>
        isAway(sql) ? Promise.reject(new Error("the database is away")) : target.raw(sql, bindings);
    },
  });
}

test("a first read that fails half-way is repeated, and checks that came and went meanwhile are known and forgotten", async () => {
  const team = await aTeam(database.knex);
  const checks: TestCheck[] = [];
  for (let i = 0; i < 5; i++) checks.push(await aCheck(database.knex, team));
  const state = new FleetState();
  let pages = 0;
  const lostPage = 2;
  const knex = unreliable(
    database.knex,
    (sql) => sql.includes("ORDER BY c.key LIMIT") && pages++ === lostPage,
  );
  const log = pino({ level: "silent" });
  const watch = new FleetWatch({
    source: postgresFleetSource(knex, log),
    log,
    state,
    nowMs: Date.now,
    beforePoll: async () => undefined,
    onUpdate: () => undefined,
    pageSize: 2,
  });
  const keysKnown = () => checks.map(({ key }) => key).filter((key) => state.check(key) !== undefined);
  await expect(watch.refresh()).rejects.toThrow("the database is away");
  expect(keysKnown()).toHaveLength(4);

  const [deleted] = checks;
  await database.knex.raw("DELETE FROM checks WHERE key = ?", [deleted?.key ?? 0]);
  await database.knex.raw("INSERT INTO check_deletions (check_key) VALUES (?)", [deleted?.key ?? 0]);
  checks.push(await aCheck(database.knex, team));
  await watch.refresh();
  expect(keysKnown()).toEqual(checks.slice(1).map(({ key }) => key));
  expect(state.countUnowned()).toBe(checks.length - 1);
  await watch.close();
});
