/** What reading results costs when a million of them are stored: the plans, as PostgreSQL ran them. */
import type { Check } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../test-support/builders.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { ensurePartitions } from "../retention/partitions.ts";
import { registerResultRoutes } from "./routes.ts";

const DAY_MS = 86_400_000;
const LOCATIONS = ["loc_us_east", "loc_us_west"];
const dayMs = Date.UTC(2026, 3, 1);
const DAYS = 10;
const CHECKS = 50;

let test: TestApp;
let check: Check & { key: number };

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services);
      registerResultRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  const locationKeys = await Promise.all(LOCATIONS.map((id) => keyOfLocation(knex, id)));
  const { body } = await test.call("POST", "/api/checks", aCheck({ locations: LOCATIONS }));
  check = { ...body.check, key: await keyOfCheck(knex, body.check.id) };
  await ensurePartitions(knex, dayMs, dayMs + DAYS * DAY_MS - 1);
  await knex.raw(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT c, l, ?::bigint + s * 86400::bigint, 1, 0, 1, 1, 1
     FROM generate_series(0, ? * 1000 - 1) s, generate_series(?::bigint, ?::bigint) c, unnest(?::integer[]) l`,
    [dayMs, DAYS, check.key, check.key + CHECKS - 1, locationKeys],
  );
  await knex.raw("VACUUM ANALYZE results");
}, 120_000);
afterAll(() => test.close());

const list = (query: string) => test.call("GET", `/api/checks/${check.id}/results${query}`);

/** The plan of the list's query, as it ran, and how many pages of the table and index it touched. */
async function explain(offset: number): Promise<{ plan: string; pages: number }> {
  const statements: string[] = [];
  const { knex } = test.services;
  const listener = (query: { sql: string; bindings: unknown[] }) => {
    if (query.sql.includes("MATERIALIZED"))
      statements.push(knex.raw(query.sql.replace(/\$\d+/g, "?"), query.bindings as never).toString());
  };
  knex.on("query", listener);
  await list(`?limit=50&offset=${offset}`);
  knex.off("query", listener);
  const explained = await knex.raw(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${statements[0]}`);
  const plan = explained.rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
  const [, hits = "0"] = /Buffers: shared hit=(\d+)/.exec(plan) ?? [];
  return { plan, pages: Number(hits) };
}

it("a page is read by the index alone and its rows by their key, never by a scan of the table", async () => {
  const { plan } = await explain(0);
  expect(plan).toContain("Index Only Scan Backward");
  expect(plan).not.toMatch(/Seq Scan on results/);
  expect(plan).not.toMatch(/Sort Method: external/);
});

it("what a page costs does not grow with the history", async () => {
  const { pages } = await explain(0);
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThan(1_000);
});

it("a deep page is still answered, from the index", async () => {
  const { plan } = await explain(15_000);
  expect(plan).not.toMatch(/Seq Scan on results/);
  const { body } = await list("?limit=50&offset=19990");
  expect(body.results).toHaveLength(10);
});
