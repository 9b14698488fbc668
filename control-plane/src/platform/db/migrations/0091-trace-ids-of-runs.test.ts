import { HOUR_MS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../../test-support/database.ts";
import { insertResult } from "../../../../test-support/merge-test.ts";
import { dayOf, ensurePartitions } from "../../../results/retention/partitions.ts";
import { queryRows } from "../rows.ts";
import { up } from "./0091-trace-ids-of-runs.ts";

const dayMs = dayOf(Date.now());

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe.skipIf(isOnCitus)("the column of trace ids that follow from runs", () => {
  it("is true of the rows that are there, also in tables of merges under way, and of those that the release before adds", async () => {
    const { knex } = database;
    await knex.raw("ALTER TABLE results DROP COLUMN has_own_trace_id");
    await ensurePartitions(knex, dayMs, dayMs + HOUR_MS - 1);
    await insertResult(knex, dayMs + 1);
    const merged = "merged_results_20261121_00_06";
    await knex.raw(`CREATE TABLE ${merged} (LIKE results INCLUDING DEFAULTS)`);
    await knex.raw(`INSERT INTO ${merged} SELECT * FROM results`);
    await knex.transaction((trx) => up(trx));
    await insertResult(knex, dayMs + 2);
    // As the release before copies them: all columns that results have, as they are.
    await knex.raw(`INSERT INTO ${merged} SELECT * FROM results WHERE slot_ms = ?`, [dayMs + 2]);
    for (const table of ["results", merged])
      expect(
        await queryRows(knex, `SELECT slot_ms, has_own_trace_id FROM ${table} ORDER BY slot_ms`),
      ).toEqual([
        { slotMs: dayMs + 1, hasOwnTraceId: true },
        { slotMs: dayMs + 2, hasOwnTraceId: true },
      ]);
  });
});
