/** Holds migrations to what a service that works meanwhile, in this version or the one before, can bear. */
import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../../test-support/database.ts";
import { fillEveryTable } from "../../../../test-support/every-table.ts";
import { type AuditedMigration, auditMigration } from "../../../../test-support/migration-audit.ts";
import { migrate } from "../migrate.ts";
import { allMigrations, migrationSource } from "./registry.ts";

/** Newest migration of the first release: nobody upgrades from before it while the service runs. */
const FIRST_RELEASE = "0048-location-scaling";

/** Findings that were judged harmless, by migration: for each the reason. */
const ACCEPTED: Record<string, Record<string, string>> = {};

/** Instant of the rows that the tables hold, ms. */
const AT_MS = Date.UTC(2026, 5, 1, 12);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: false });
  const { knex, url } = database;
  const migrations = await migrationSource.getMigrations([]);
  const getMigrations = async () =>
    migrations.filter((migration) => migrationSource.getMigrationName(migration) <= FIRST_RELEASE);
  await migrate(url, {
    config: { migrationSource: { ...migrationSource, getMigrations }, tableName: "svc_migrations" },
  });
  await addPartitions(knex);
  await knex("teams").insert({ id: "team_a", name: "A" });
  await knex("users").insert({ id: "user_a", email: "a@example.com" });
  await fillEveryTable(knex, { teamId: "team_a", userId: "user_a", atMs: AT_MS });
});
afterAll(() => database.drop());

it("run in the order of their numbers, which no two share", () => {
  const names = allMigrations();
  expect(names).toEqual([...names].sort());
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
});

/** Adds to each partitioned table one partition for all instants. */
async function addPartitions(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string; levels: number }[] }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'p' AND NOT c.relispartition`,
  );
  for (const { name } of rows)
    await knex.raw("CREATE TABLE IF NOT EXISTS ?? PARTITION OF ?? DEFAULT", [`${name}_all`, name]);
}

describe.skipIf(isOnCitus)("a migration since the first release", () => {
  it("holds up no large table and takes nothing away from the release before", async () => {
    const newer = allMigrations().filter((name) => name > FIRST_RELEASE);
    for (const migration of await migrationSource.getMigrations([])) {
      const name = migrationSource.getMigrationName(migration);
      if (!newer.includes(name)) continue;
      const findings = await auditMigration(
        database.knex,
        (await migrationSource.getMigration(migration)) as AuditedMigration,
      );
      expect({ name, findings: findings.filter((text) => !ACCEPTED[name]?.[text]) }).toEqual({
        name,
        findings: [],
      });
    }
  });
});

describe.skipIf(isOnCitus)("the audit of a migration", () => {
  const audit = (sql: string, more: Pick<AuditedMigration, "config"> = {}) =>
    auditMigration(database.knex, {
      ...more,
      up: async (knex) => {
        for (const statement of sql.split(";")) await knex.raw(statement.replaceAll("?", "\\?"));
      },
    });

  it.each([
    ["ALTER TABLE results ALTER COLUMN response_time_us TYPE bigint", "rewrites results"],
    ["ALTER TABLE checks ADD COLUMN stamp timestamptz DEFAULT clock_timestamp()", "rewrites checks"],
    ["CREATE INDEX ON results (response_time_us)", "reads all rows of results under ShareLock"],
    ["CREATE INDEX ON alert_events (created_at)", "reads all rows of alert_events under ShareLock"],
    [
      "ALTER TABLE results ADD CONSTRAINT is_new CHECK (slot_ms > 0)",
      "reads all rows of results under AccessExclusiveLock",
    ],
    [
      "ALTER TABLE missed_slots ADD CONSTRAINT of_check FOREIGN KEY (check_key) REFERENCES checks (key)",
      "reads all rows of missed_slots under ShareRowExclusiveLock",
    ],
    [
      "ALTER TABLE results ALTER COLUMN xid SET NOT NULL",
      "reads all rows of results under AccessExclusiveLock",
      "requires results.xid, which the release before may leave out",
    ],
    ["UPDATE results SET status = status", "changes the rows of results: let a job do it, in batches"],
    ["ALTER TABLE checks DROP COLUMN stamp", "removes checks.stamp, which the release before uses"],
    [
      "ALTER TABLE teams RENAME COLUMN name TO title; ALTER TABLE teams RENAME COLUMN title TO name2",
      "removes teams.name, which the release before uses",
      "requires teams.name2, which the release before may leave out",
    ],
    ["DROP TABLE notification_references", /^removes notification_references\./],
    [
      "ALTER TABLE plans ADD COLUMN depth integer NOT NULL DEFAULT 1; ALTER TABLE plans ALTER COLUMN depth DROP DEFAULT",
      "requires plans.depth, which the release before may leave out",
    ],
  ])("finds fault with %s", async (sql, ...expected) => {
    const findings = await audit(sql);
    for (const text of expected)
      expect(findings).toContainEqual(typeof text === "string" ? text : expect.stringMatching(text));
  });

  it.each([
    "ALTER TABLE results ADD COLUMN weight integer; ALTER TABLE results ADD COLUMN size integer NOT NULL DEFAULT 1",
    "ALTER TABLE results ADD CONSTRAINT is_light CHECK (weight < 9) NOT VALID",
    "CREATE TABLE notes (check_key bigint REFERENCES checks (key) ON DELETE CASCADE, text text NOT NULL)",
    "ALTER TABLE results ALTER COLUMN size DROP NOT NULL",
    "UPDATE plans SET name = name; CREATE INDEX ON plans (name)",
  ])("finds no fault with %s", async (sql) => {
    expect(await audit(sql)).toEqual([]);
  });

  it("lets indexes be made outside of a transaction, beside writers, and nothing else", async () => {
    const outside = { config: { transaction: false } };
    expect(
      await audit(
        `CREATE INDEX results_by_weight ON ONLY results (weight); CREATE INDEX CONCURRENTLY results_all_by_weight ON results_all (weight);
         ALTER INDEX results_by_weight ATTACH PARTITION results_all_by_weight`,
        outside,
      ),
    ).toEqual([]);
    expect(await audit("CREATE INDEX by_size ON results (size)", outside)).toEqual([
      "runs outside of a transaction: CREATE INDEX by_size ON results (size)",
    ]);
  });
});
