import type { Knex } from "knex";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import type { LockHolder } from "./lock-holders.ts";
import {
  listPendingMigrations,
  MigrationLockError,
  type MigrationProgress,
  type MigrationsConfig,
  migrate,
  migrationText,
  waitingText,
} from "./migrate.ts";
import { allMigrations, migrationSource, NEWEST_MIGRATION } from "./migrations/registry.ts";

/** Migrations of a test, by name. */
function made(migrations: Record<string, (knex: Knex) => Promise<unknown>>): MigrationsConfig {
  return {
    tableName: "made_migrations",
    migrationSource: {
      getMigrations: async () => Object.keys(migrations),
      getMigrationName: (name) => String(name),
      getMigration: async (name) => ({
        up: async (knex: Knex) => void (await migrations[String(name)]?.(knex)),
        down: async () => undefined,
      }),
    },
  };
}

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

  it("who has to wait for another's migration says for whom, goes on when that ends, and gives up when it is asked to", async () => {
    const ending = new AbortController();
    const waited: string[] = [];
    let letGo = () => {};
    const slow = () => {
      waited.push("runs");
      return new Promise<void>((resolve) => {
        letGo = resolve;
      });
    };
    const config = made({ slow });
    const first = migrate(empty.url, { config });
    await expect.poll(() => waited).toEqual(["runs"]);
    const onWaiting = (holders: readonly LockHolder[]) => waited.push(waitingText(holders));
    const second = migrate(empty.url, { config, onWaiting });
    const third = migrate(empty.url, { config, onWaiting, signal: ending.signal });
    await expect.poll(() => waited).toHaveLength(3);
    expect(waited[1]).toMatch(
      /^another process migrates the database: session \d+ \(svc-control-plane, .*\); this one waits for it$/,
    );
    ending.abort();
    await expect(third).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    letGo();
    await Promise.all([first, second]);
    expect(waited).toHaveLength(3);
    await empty.knex.raw("DROP TABLE made_migrations");
  });

  it("runs without the timeouts that hold for the service's own statements", async () => {
    const seen: unknown[] = [];
    const config = made({
      look: async (knex) => {
        const { rows } = await knex.raw(
          `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
             current_setting('idle_in_transaction_session_timeout') AS idle`,
        );
        seen.push(...rows);
      },
    });
    await migrate(empty.url, { config });
    expect(seen).toEqual([{ statement: "0", lock: "200ms", idle: "0" }]);
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

describe("a migration of a table that another session holds", () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase({ template: false });
    await migrate(test.url, {
      config: made({
        "0-tables": (knex) => knex.raw("CREATE TABLE busy (id integer); CREATE TABLE calm (id integer)"),
      }),
    });
  });
  afterEach(() => test.drop());

  const config = made({
    "0-tables": async () => undefined,
    "1-calm": (knex) => knex.raw("ALTER TABLE calm ADD COLUMN note text"),
    "2-busy": (knex) =>
      knex.raw("ALTER TABLE calm ADD COLUMN more text; ALTER TABLE busy ADD COLUMN note text"),
  });
  const columnsOf = async (table: string) => Object.keys(await test.knex(table).columnInfo());

  it("lets go after a moment, says who holds it, and runs once the table is free", async () => {
    const reader = await test.knex.transaction();
    await reader.raw("SET LOCAL application_name = 'a long report'");
    await reader("busy").select();
    const seen: MigrationProgress[] = [];
    const meanwhile: unknown[] = [];
    let isFree = false;
    await migrate(test.url, {
      config,
      onProgress: (progress) => {
        seen.push(progress);
        if (isFree || progress.lockHolders.length === 0) return;
        isFree = true;
        // Between two attempts the statements of the service pass.
        meanwhile.push(
          test
            .knex("busy")
            .insert({ id: 1 })
            .then(() => reader.commit()),
        );
      },
    });
    await Promise.all(meanwhile);
    expect(seen.slice(0, 3).map(({ name, number, of, attempt }) => [name, number, of, attempt])).toEqual([
      ["1-calm", 1, 2, 1],
      ["2-busy", 2, 2, 1],
      ["2-busy", 2, 2, 2],
    ]);
    const waiting = seen.find(({ lockHolders }) => lockHolders.length > 0) as MigrationProgress;
    expect(waiting.lockHolders).toMatchObject([
      { application: "a long report", state: "idle in transaction" },
    ]);
    expect(migrationText(waiting)).toMatch(
      /^migration 2-busy \(2 of 2\) runs, attempt \d+: before, it waited 200 ms for session \d+ \(a long report, idle in transaction, /,
    );
    expect([await columnsOf("calm"), await columnsOf("busy")]).toEqual([
      ["id", "note", "more"],
      ["id", "note"],
    ]);
  });

  it("is given up with the sessions' names after its attempts, and leaves nothing half done", async () => {
    const reader = await test.knex.transaction();
    await reader("busy").select();
    const { rows } = await reader.raw("SELECT pg_backend_pid() AS pid");
    const failed = await migrate(test.url, { config, attempts: 5 }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MigrationLockError);
    expect((failed as Error).message).toContain(
      `got no lock in 5 attempts of 200 ms; it waited for session ${rows[0].pid} (`,
    );
    expect(await columnsOf("calm")).toEqual(["id", "note"]);
    await reader.rollback();
    await migrate(test.url, { config });
    expect(await columnsOf("busy")).toEqual(["id", "note"]);
  });

  it("is given up at once when the service is asked to end", async () => {
    const reader = await test.knex.transaction();
    await reader("busy").select();
    const ending = new AbortController();
    const onProgress = ({ attempt }: MigrationProgress) => attempt === 2 && ending.abort();
    await expect(migrate(test.url, { config, onProgress, signal: ending.signal })).rejects.toThrow(
      "The operation was aborted",
    );
    await reader.rollback();
  });

  it("fails at once with any other error", async () => {
    const seen: MigrationProgress[] = [];
    const wrong = made({
      "0-tables": async () => undefined,
      wrong: (knex) => knex.raw("ALTER TABLE nowhere ADD COLUMN note text"),
    });
    await expect(
      migrate(test.url, { config: wrong, onProgress: (progress) => seen.push(progress) }),
    ).rejects.toThrow('relation "nowhere" does not exist');
    expect(seen).toHaveLength(1);
  });
});

it("a new database gets all migrations or none", async () => {
  const empty = await createTestDatabase({ template: false });
  const failing = made({
    "1-fine": (knex) => knex.raw("CREATE TABLE fine (id integer)"),
    "2-wrong": (knex) => knex.raw("CREATE TABLE wrong (id nothing)"),
  });
  await expect(migrate(empty.url, { config: failing })).rejects.toThrow('type "nothing" does not exist');
  expect(await empty.knex.schema.hasTable("fine")).toBe(false);
  await empty.drop();
});

describe("the plan", () => {
  it("lists what a database lacks, and leaves it as it is", async () => {
    const empty = await createTestDatabase({ template: false });
    expect(await listPendingMigrations(empty.url)).toEqual(allMigrations());
    const { rows } = await empty.knex.raw("SELECT relname FROM pg_stat_user_tables");
    expect(rows).toEqual([]);
    await migrate(empty.url);
    expect(await listPendingMigrations(empty.url)).toEqual([]);
    await empty.knex("svc_migrations").where({ name: NEWEST_MIGRATION }).delete();
    expect(await listPendingMigrations(empty.url)).toEqual([NEWEST_MIGRATION]);
    await empty.drop();
  });
});

describe("SLOs that were stored with any text as their pattern", () => {
  let old: TestDatabase;
  beforeAll(async () => {
    old = await createTestDatabase({ template: false });
    const migrations = await migrationSource.getMigrations([]);
    const getMigrations = async () => migrations.filter(({ name }) => name < "0029");
    await migrate(old.url, {
      config: { migrationSource: { ...migrationSource, getMigrations }, tableName: "svc_migrations" },
    });
  });
  afterAll(() => old.drop());

  it("refer to a pattern of that name afterwards, and generate their alerts", async () => {
    await old.knex("teams").insert({ id: "team_a", name: "A" });
    const slo = (id: string, columns: object) => ({
      id,
      teamId: "team_a",
      name: id,
      sloType: "third_party",
      scope: "team",
      sliType: "availability",
      targetBasisPoints: 9_990,
      windowDays: 7,
      burnRateAlertsEnabled: true,
      channelIds: [],
      enabled: true,
      ...columns,
    });
    await old
      .knex("slos")
      .insert([
        slo("slo_a", { patternId: "*.CDN.example.com", channelIds: ["nch_a"] }),
        slo("slo_b", { patternId: "*.CDN.example.com", sliType: "performance", perfThresholdMs: 100 }),
        slo("slo_c", { patternId: "our CDN (all of it)" }),
      ]);
    await migrate(old.url);
    const patterns = await old
      .knex("slos")
      .join("thirdPartyPatterns as p", "p.id", "slos.patternId")
      .orderBy("slos.id")
      .select("slos.id", "slos.sliType", "p.name", "p.hostPattern");
    expect(patterns.map(({ id, sliType, name, hostPattern }) => [id, sliType, name, hostPattern])).toEqual([
      ["slo_a", "availability", "*.CDN.example.com", "*.cdn.example.com"],
      ["slo_b", "availability", "*.CDN.example.com", "*.cdn.example.com"],
      ["slo_c", "availability", "our CDN (all of it)", "unknown.invalid"],
    ]);
    const rules = await old
      .knex("alertRules")
      .orderBy("key")
      .select("name", "checkKey", "sloPace", "channelIds");
    expect(rules).toEqual(
      ["fast", "slow"].map((sloPace) => ({
        name: `slo_a: ${sloPace} burn`,
        checkKey: null,
        sloPace,
        channelIds: ["nch_a"],
      })),
    );
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
