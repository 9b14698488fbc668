import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { migrate } from "./migrate.ts";
import { migrationSource, NEWEST_MIGRATION } from "./migrations/registry.ts";

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

describe("SLOs that were stored with any text as their pattern", () => {
  let old: TestDatabase;
  beforeAll(async () => {
    old = await createTestDatabase({ template: false });
    const migrations = await migrationSource.getMigrations([]);
    const getMigrations = async () => migrations.filter(({ name }) => name < "0029");
    await migrate(old.url, {
      migrationSource: { ...migrationSource, getMigrations },
      tableName: "svc_migrations",
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
