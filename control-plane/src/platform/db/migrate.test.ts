import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { migrate } from "./migrate.ts";
import { NEWEST_MIGRATION } from "./migrations/registry.ts";

describe("migrate", () => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await createTestDatabase({ template: false });
  });
  afterAll(() => empty.drop());

  it("two replicas that migrate an empty database at once both succeed, and it happens once", async () => {
    await Promise.all([migrate(empty.url), migrate(empty.url)]);
    const rows = await empty.knex("svc_migrations").select("name");
    expect(rows.filter((row) => row.name === NEWEST_MIGRATION)).toHaveLength(1);
  });

  it("runs without the timeouts that hold for the service's own statements", async () => {
    const seen: unknown[] = [];
    const migrationSource = {
      getMigrations: async () => ["look"],
      getMigrationName: (name: string) => name,
      getMigration: async () => ({
        up: async (knex: Knex) => {
          const { rows } = await knex.raw(
            `SELECT current_setting('statement_timeout') AS statement,
               current_setting('idle_in_transaction_session_timeout') AS idle`,
          );
          seen.push(...rows);
        },
        down: async () => undefined,
      }),
    };
    await migrate(empty.url, { migrationSource, tableName: "looks" });
    expect(seen).toEqual([{ statement: "0", idle: "0" }]);
    const { rows } = await empty.knex.raw("SHOW statement_timeout");
    expect(rows).toEqual([{ statement_timeout: "15s" }]);
  });

  it("shows bigint as a number and timestamptz as ISO 8601 with milliseconds", async () => {
    const { rows } = await empty.knex.raw(
      "SELECT 1750000000000::bigint AS ms, timestamptz '2026-01-02 03:04:05.6+02' AS instant",
    );
    expect(rows[0]).toEqual({ ms: 1_750_000_000_000, instant: "2026-01-02T01:04:05.600Z" });
  });
});

describe("createTestDatabase", () => {
  it("clones the migrated template, apart from every other test's", async () => {
    const [a, b] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await a.knex("teams").insert({ id: "team_a", name: "A" });
    expect(await b.knex("teams").select()).toEqual([]);
    await Promise.all([a.drop(), b.drop()]);
  });
});
