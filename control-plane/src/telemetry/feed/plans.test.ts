/** Query plans of the feed with a million results stored: it reads by index, and no more than the page needs. */
import { DAY_MS } from "@svc/contract";
import { afterAll, beforeAll, it as everywhere, expect } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { isOnCitus } from "../../../test-support/database.ts";
import { dayOf, ensurePartitions } from "../../results/retention/partitions.ts";
import { registerEventRoutes } from "./routes.ts";

// The plans are those of one server.
const it = everywhere.skipIf(isOnCitus);

let test: AlertTest;
let check: AlertTestCheck;

const DAYS = 10;
const CHECKS = 50;
const SLOTS_A_DAY = 1_000;

beforeAll(async () => {
  const clock = createTestClock(Date.now());
  test = await createAlertTest({ register: registerEventRoutes, clock });
  for (let i = 0; i < CHECKS; i++)
    check = await test.newCheck({ locations: ["loc_us_east", "loc_eu_west"], frequencySeconds: 60 });
  const firstDayMs = dayOf(clock.nowMs()) - (DAYS - 1) * DAY_MS;
  await ensurePartitions(test.services.knex, firstDayMs, clock.nowMs());
  await fill(firstDayMs);
});
afterAll(() => test.close());

/** Every check of the team and as many strangers' have a result every 86.4 s in each location; one in 200 is a failure. */
async function fill(fromMs: number): Promise<void> {
  const client = await test.services.knex.client.acquireRawConnection();
  await client.query("SET statement_timeout = 0");
  await client.query(
    `INSERT INTO results (check_key, location_key, slot_ms, created_at, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT c, l, slot, to_timestamp((slot + 900) / 1000.0), 1, 0, 1, 1, CASE WHEN (c + s) % 200 = 0 THEN 2 ELSE 1 END
     FROM generate_series(0, $2 - 1) s, generate_series($3::bigint, $4::bigint) c, unnest($5::integer[]) l,
       LATERAL (SELECT $1::bigint + s * 86400::bigint AS slot) slots
     WHERE slot < $6::bigint`,
    [
      fromMs,
      DAYS * SLOTS_A_DAY,
      check.key - CHECKS + 1,
      check.key + CHECKS,
      check.locationKeys,
      test.clock.nowMs(),
    ],
  );
  await client.query("VACUUM ANALYZE results");
  await client.end();
}

/** Rows below which a partition is read as a whole, as is that of an hour that has just begun. */
const FEW_ROWS = 3_000;

/** Lines of the plans that scan a table without an index, where that is not small. */
function largeScans(plans: string): string[] {
  const lines = plans.split("\n");
  return lines.filter((line, at) => {
    if (!/Seq Scan on (results|result_details|alert_events)/.test(line)) return false;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((next) => next.includes("->"));
    const details = rest.slice(0, end < 0 ? undefined : end).join("\n");
    const read = Number(/actual.* rows=([\d.]+)/.exec(line)?.[1] ?? 0);
    return read + Number(/Rows Removed by Filter: (\d+)/.exec(details)?.[1] ?? 0) > FEW_ROWS;
  });
}

/** The plans of the statements that read results, as they ran, and how many pages they touched. */
async function explain(query: string): Promise<{ plans: string; pages: number; events: number }> {
  const statements: string[] = [];
  const { knex } = test.services;
  const listener = (asked: { sql: string; bindings: unknown[] }) => {
    if (/FROM (results|result_details|alert_events)/.test(asked.sql))
      statements.push(knex.raw(asked.sql.replace(/\$\d+/g, "?"), asked.bindings as never).toString());
  };
  knex.on("query", listener);
  const { status, body } = await test.call("GET", `/api/events${query}`);
  knex.off("query", listener);
  expect(status).toBe(200);
  const plans: string[] = [];
  for (const statement of statements) {
    const { rows } = await knex.raw(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${statement}`);
    plans.push(rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n"));
  }
  const pages = plans.map((plan) => Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1] ?? 0));
  return { plans: plans.join("\n"), pages: pages.reduce((a, b) => a + b, 0), events: body.events.length };
}

it.each([
  ["the newest events of the team", "", 8_000],
  ["those of one check", "?checkId=:check", 1_000],
  ["a long range costs the same", "?range=30d", 8_000],
  // The index of failures is asked once for each check in each partition, and today has one for each hour.
  ["failures alone", "?type=check.failed&range=30d", 12_000],
  ["completions alone", "?type=check.completed&range=30d", 8_000],
  ["drift, of which there is none", "?type=check.mcp_schema_drift&range=30d", 5_000],
])("%s are read by index", async (_name, query, pagesMax) => {
  const { plans, pages, events } = await explain(query.replace(":check", check.id));
  expect(largeScans(plans)).toEqual([]);
  expect(pages).toBeLessThan(pagesMax);
  if (!query.includes("drift")) expect(events).toBe(50);
});

it("a deep page is answered by index, too", async () => {
  const { plans, events } = await explain("?range=30d&limit=200&offset=10000");
  expect(largeScans(plans)).toEqual([]);
  expect(events).toBe(200);
});

it("alert events of a rare kind are found without reading the others", async () => {
  const { knex } = test.services;
  const ruleId = await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
  await knex.raw(
    `INSERT INTO alert_instances (id, team_id, rule_key, check_key, state, severity, started_at, context)
     SELECT 'ainst_many', :teamId, key, check_key, 'resolved', 'critical', now(), '{}' FROM alert_rules WHERE id = :ruleId`,
    { teamId: test.team.teamId, ruleId },
  );
  await knex.raw(
    `INSERT INTO alert_events (id, team_id, instance_id, check_key, type, state, severity, created_at)
     SELECT 'aevt_' || i, :teamId, 'ainst_many', :checkKey, CASE i WHEN 1 THEN 'escalated' ELSE 'notified' END, 'active',
       CASE i WHEN 2 THEN 'info' ELSE 'critical' END, CAST(:now AS timestamptz) - i * interval '1 second'
     FROM generate_series(1, 100000) i`,
    { teamId: test.team.teamId, checkKey: check.key, now: new Date(test.clock.nowMs()) },
  );
  await knex.raw("ANALYZE alert_events");
  for (const query of ["?type=alert.escalated&range=7d", "?type=alert.notified&severity=info&range=7d"]) {
    const { plans, pages, events } = await explain(query);
    expect(events).toBe(1);
    expect(plans).toContain("alert_events_by_kind");
    expect(pages).toBeLessThan(200);
  }
});
