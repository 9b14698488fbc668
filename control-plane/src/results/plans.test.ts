/** Query plans of reading results with a million of them stored, as PostgreSQL ran them. */
import type { Check } from "@svc/contract";
import { DAY_MS } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, createTestClock, type TestApp } from "../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../test-support/builders.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { ensurePartitions } from "./retention/partitions.ts";
import { registerResultRoutes } from "./routes.ts";

const LOCATIONS = ["loc_us_east", "loc_us_west"];
const dayMs = Date.UTC(2026, 3, 1);
const DAYS = 10;
const CHECKS = 50;

let test: TestApp;
let check: Check & { key: number };

beforeAll(async () => {
  test = await createTestApp({
    clock: createTestClock(dayMs + DAYS * DAY_MS),
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerResultRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  const locationKeys = await Promise.all(LOCATIONS.map((id) => keyOfLocation(knex, id)));
  const { body } = await test.call("POST", "/api/checks", aCheck({ locations: LOCATIONS }));
  check = { ...body.check, key: await keyOfCheck(knex, body.check.id) };
  await ensurePartitions(knex, dayMs, dayMs + DAYS * DAY_MS - 1);
  await fill(locationKeys);
});
afterAll(() => test.close());

/** Every check has a result every 86.4 s in each location. */
async function fill(locationKeys: readonly number[]): Promise<void> {
  // On a connection of its own, because a loaded machine may take longer than a statement may.
  const client = await test.services.knex.client.acquireRawConnection();
  await client.query("SET statement_timeout = 0");
  await client.query(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT c, l, $1::bigint + s * 86400::bigint, 1, 0, 1, 1, 1
     FROM generate_series(0, $2 - 1) s, generate_series($3::bigint, $4::bigint) c, unnest($5::integer[]) l`,
    [dayMs, DAYS * 1000, check.key, check.key + CHECKS - 1, locationKeys],
  );
  await client.query("VACUUM ANALYZE results");
  await client.end();
}

const list = (query: string) => test.call("GET", `/api/checks/${check.id}/results${query}`);

/** The plans of the list's two queries, as they ran, and how many pages of tables and indexes they touched. */
async function explain(offset: number): Promise<{ plans: string; pages: number }> {
  const statements: string[] = [];
  const { knex } = test.services;
  const listener = (query: { sql: string; bindings: unknown[] }) => {
    if (query.sql.includes("FROM results"))
      statements.push(knex.raw(query.sql.replace(/\$\d+/g, "?"), query.bindings as never).toString());
  };
  knex.on("query", listener);
  await list(`?limit=50&offset=${offset}`);
  knex.off("query", listener);
  expect(statements).toHaveLength(2);
  const plans: string[] = [];
  for (const statement of statements) {
    const { rows } = await knex.raw(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${statement}`);
    plans.push(rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n"));
  }
  // The first figure of a plan is that of its root, which includes all below it.
  const pages = plans.map((plan) => Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]));
  return { plans: plans.join("\n"), pages: pages.reduce((a, b) => a + b, 0) };
}

it("a page is read by the index alone and its rows by their key, never by a scan of the table", async () => {
  const { plans } = await explain(0);
  expect(plans).toContain("Index Only Scan Backward");
  expect(plans).not.toMatch(/Seq Scan on results/);
  expect(plans).not.toMatch(/Sort Method: external/);
});

it("its rows are looked for in the partitions of the page alone", async () => {
  const { plans } = await explain(0);
  const partitions = new Set(plans.match(/Index Scan using results_\d+_pkey/g));
  expect(partitions.size).toBe(1);
});

it("the planner looks at the partitions of the page alone", async () => {
  const { plans } = await explain(0);
  const partitions = new Set(plans.match(/results_\d+_pkey/g));
  expect(partitions.size).toBe(1);
});

it("a page that goes further back than results usually lie is looked for in all of them", async () => {
  const { knex } = test.services;
  await knex("checks").where({ key: check.key }).update({ frequencySeconds: 10 });
  const { body } = await list("?limit=200");
  await knex("checks").where({ key: check.key }).update({ frequencySeconds: check.frequencySeconds });
  expect(body.results).toHaveLength(200);
  expect(body.results).toEqual((await list("?limit=200")).body.results);
});

it("what a page costs does not grow with the history", async () => {
  const { pages } = await explain(0);
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThan(1_000);
});

it("a deep page is still answered, from the index", async () => {
  const { plans } = await explain(15_000);
  expect(plans).not.toMatch(/Seq Scan on results/);
  const { body } = await list("?limit=50&offset=19990");
  expect(body.results).toHaveLength(10);
});
