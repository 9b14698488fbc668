/** Query plans of a check's slots over seven days, as PostgreSQL ran them: what they read doesn't grow with the slots. */
import { type Check, DAY_MS, phaseMs, slotAtOrAfter } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { ensurePartitions } from "../retention/partitions.ts";
import { registerSlotRoutes } from "./routes.ts";

const LOCATION = "loc_us_east";
const PERIOD_MS = 10_000;
const DAYS = 8;
/** Other checks of which results are stored, which the answer must not read. */
const OTHERS = 20;

let test: TestApp;
let check: Check & { key: number };

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerSlotRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  const wanted = aCheck({ locations: [LOCATION], frequencySeconds: PERIOD_MS / 1000 });
  const { body } = await test.call("POST", "/api/checks", wanted);
  check = { ...body.check, key: await keyOfCheck(knex, body.check.id) };
  await knex("checkRevisions").where({ checkKey: check.key }).update({ effectiveFromMs: 0 });
  const fromMs = test.clock.nowMs() - DAYS * DAY_MS;
  await ensurePartitions(knex, fromMs, test.clock.nowMs());
  await fill(fromMs);
});
afterAll(() => test.close());

/** The check has a result for each slot but one of a hundred, others have one a minute. */
async function fill(fromMs: number): Promise<void> {
  const client = await test.services.knex.client.acquireRawConnection();
  await client.query("SET statement_timeout = 0");
  const insert = async (keys: number[], periodMs: number) =>
    client.query(
      `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
       SELECT c, $2, slot, 1, 0, 1, 1, CASE WHEN slot / $5::bigint % 50 = 0 THEN 3 ELSE 1 END
       FROM unnest($1::bigint[]) c, generate_series($3::bigint, $4::bigint, $5::bigint) slot
       WHERE slot / $5::bigint % 100 <> 0`,
      [
        keys,
        await keyOfLocation(test.services.knex, LOCATION),
        slotAtOrAfter(fromMs, periodMs, phaseMs(check.id, check.frequencySeconds)),
        test.clock.nowMs() - 1,
        periodMs,
      ],
    );
  await insert([check.key], PERIOD_MS);
  await insert(
    Array.from({ length: OTHERS }, (_, i) => check.key + 1 + i),
    6 * PERIOD_MS,
  );
  await client.query("VACUUM ANALYZE results");
  await client.end();
}

it("of 60,000 slots are read by index, once to count and once for the gaps, not slot by slot", async () => {
  const { knex } = test.services;
  const statements: { sql: string; bindings: never }[] = [];
  const note = (asked: { sql: string; bindings: never }) => void statements.push(asked);
  knex.on("query", note);
  const from = new Date(test.clock.nowMs() - 7 * DAY_MS).toISOString();
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/slots?from=${from}`);
  knex.off("query", note);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.locations[0].expected).toBeGreaterThan(60_000);
  expect(body.locations[0].missing.no_runner).toBeGreaterThan(600);
  expect(statements.length).toBeLessThanOrEqual(14);
  const reading = statements.filter(({ sql }) => /FROM results/.test(sql));
  // Slots that are too young to count are counted apart.
  expect(reading).toHaveLength(3);
  let pages = 0;
  for (const { sql, bindings } of reading) {
    const statement = knex.raw(sql.replace(/\$\d+/g, "?"), bindings).toString();
    const { rows } = await knex.raw(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${statement}`);
    const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
    expect(plan).not.toMatch(/Seq Scan on results/);
    pages += Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1]);
  }
  // Looking for each slot by itself touches three pages a slot: 180,000.
  expect(pages).toBeGreaterThan(0);
  expect(pages).toBeLessThan(10_000);
});
