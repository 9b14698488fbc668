import { DAY_MS, HEALTH_RESULTS_MAX, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { createCheck, useChecksApp } from "../../test-support/checks-app.ts";
import { newestRangeOfTeam } from "./newest-range-store.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

it("the range of a team follows from its longest period, without reading its checks", async () => {
  const { knex } = test.services;
  const { teamId } = test.team;
  const nowMs = Date.UTC(2026, 5, 1);
  await createCheck(test, { frequencySeconds: 60 });
  expect(await newestRangeOfTeam(knex, teamId, nowMs)).toEqual({
    newestFromMs: nowMs - DAY_MS,
    newestToMs: nowMs + HOUR_MS,
    rareFromMs: null,
  });
  await createCheck(test, { frequencySeconds: 7_000 });
  await copyCheck(knex, 60);
  await knex.raw("VACUUM ANALYZE checks");
  const statements: { sql: string; bindings: unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) => statements.push(query);
  knex.on("query", note);
  const range = await newestRangeOfTeam(knex, teamId, nowMs);
  knex.removeListener("query", note);
  expect(range.rareFromMs).toBe(nowMs - HEALTH_RESULTS_MAX * 7_000_000);
  const [{ sql, bindings } = { sql: "", bindings: [] }] = statements;
  const client = await knex.client.acquireRawConnection();
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, bindings);
  await client.end();
  const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
  expect(JSON.stringify(plan)).toContain("checks_by_period");
  expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThanOrEqual(5);
});

/** Stores 3,000 copies of the check with this period. */
async function copyCheck(knex: Knex, frequencySeconds: number): Promise<void> {
  const columns = await knex("information_schema.columns")
    .where({ tableName: "checks", isGenerated: "NEVER" })
    .select("columnName");
  const names = columns.map(({ columnName }) => columnName).join(", ");
  await knex.raw(
    `INSERT INTO checks (${names}) OVERRIDING SYSTEM VALUE
     SELECT ${names} FROM (SELECT (jsonb_populate_record(NULL::checks,
         to_jsonb(c) || jsonb_build_object('key', c.key + 10 * n, 'id', 'chk_copy' || n))).*
       FROM checks c, generate_series(1, 3000) n WHERE frequency_seconds = ?) copies`,
    [frequencySeconds],
  );
}
