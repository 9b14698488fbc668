import { newId } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AlertTest, createAlertTest, type Delivered } from "../../../test-support/alerting.ts";

let test: AlertTest;
let startMs: number;
const MINUTE_MS = 60_000;

beforeAll(async () => {
  test = await createAlertTest();
  startMs = test.clock.nowMs();
  // Two days of results lie behind the present.
  test.clock.advance(2 * 86_400_000);
});
afterAll(() => test.close());

const at = (n: number) => startMs + n * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const preview = (check: { id: string }, more: Record<string, unknown>) =>
  test.call("POST", "/api/alerts/preview", { checkId: check.id, ...more });

const TWO_IN_A_ROW = [{ type: "consecutive_failures", count: 2 }];

it("finds three stored outages, with their instants and what showed them", async () => {
  const check = await test.newCheck({ frequencySeconds: 60, locations: ["loc_us_east"] });
  const outages = [
    [10, 14],
    [100, 101],
    [300, 333],
  ] as const;
  const isDown = (n: number) => outages.some(([from, to]) => n >= from && n <= to);
  await test.deliver(
    check,
    Array.from(
      { length: 400 },
      (_, n): Delivered => ({ slotMs: at(n), status: isDown(n) ? "failure" : "success" }),
    ),
  );
  const { status, body } = await preview(check, { conditions: TWO_IN_A_ROW, range: "3d" });
  expect(status).toBe(200);
  expect(body).toMatchObject({ results: 400, count: 3, unconfirmed: 0, notReplayable: [] });
  expect(body.durationMs).toBe((4 + 1 + 33) * MINUTE_MS);
  expect(
    body.wouldFire.map(({ startedAt, endedAt }: Record<string, string>) => [startedAt, endedAt]),
  ).toEqual(outages.map(([from, to]) => [iso(at(from + 1)), iso(at(to + 1))]));
  const { evidence, severity } = body.wouldFire[0];
  expect(severity).toBe("critical");
  expect(evidence).toMatchObject({
    summary: "2 failures in a row from US East (Virginia)",
    conditions: [{ type: "consecutive_failures", threshold: 2, observed: 2 }],
    locations: ["US East (Virginia)"],
  });
  expect(evidence.conditions[0].resultIds).toHaveLength(2);

  const oneDay = await preview(check, { conditions: TWO_IN_A_ROW, range: "1d" });
  expect(oneDay.body).toMatchObject({ results: 0, count: 0, wouldFire: [] });
});

it("an outage that lasts has no end, and lasts until now", async () => {
  const check = await test.newCheck({ frequencySeconds: 60, locations: ["loc_us_east"] });
  await test.deliver(check, [
    { slotMs: at(0) },
    { slotMs: at(1), status: "failure" },
    { slotMs: at(2), status: "timeout" },
  ]);
  const { body } = await preview(check, { conditions: TWO_IN_A_ROW });
  expect(body.wouldFire).toMatchObject([{ startedAt: iso(at(2)), endedAt: null }]);
  expect(body.durationMs).toBe(test.clock.nowMs() - at(2));
});

const slotArb = fc.record({
  isFailure: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
  ms: fc.constantFrom(10, 900),
});
const ruleArb = fc.record({
  condition: fc.constantFrom<Record<string, unknown>>(
    { type: "consecutive_failures", count: 1 },
    { type: "consecutive_failures", count: 3 },
    { type: "failure_ratio", failures: 2, total: 5 },
    { type: "multi_location_failure", minLocations: 2, windowSeconds: 90 },
    { type: "response_time_threshold", maxMs: 500 },
  ),
  consecutiveSuccesses: fc.constantFrom(1, 2),
});

it("says of stored results what became of them when they came, however many are judged at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(slotArb, { minLength: 1, maxLength: 30 }),
      ruleArb,
      async (slots, { condition, consecutiveSuccesses }) => {
        const check = await test.newCheck({
          frequencySeconds: 60,
          locations: ["loc_us_east", "loc_us_west"],
        });
        const rule = { conditions: [condition], recovery: { consecutiveSuccesses } };
        await test.newRule(check, rule);
        for (const [n, { isFailure, ms }] of slots.entries())
          await test.deliver(
            check,
            check.locationKeys.map((locationKey, i) => ({
              slotMs: at(n),
              locationKey,
              status: isFailure[i] ? "failure" : "success",
              responseTimeMs: ms,
            })),
          );
        const happened = (await test.instances(check)).map(
          ({ triggeringResultId, recoveryResultId, severity }) => [
            triggeringResultId !== null,
            recoveryResultId !== null,
            severity,
          ],
        );
        const { body } = await preview(check, { ...rule, range: "3d" });
        const foreseen = body.wouldFire.map(({ endedAt, severity }: Record<string, string>) => [
          true,
          endedAt !== null,
          severity,
        ]);
        expect(foreseen).toEqual(happened);
        const { conditions } = (await test.instances(check)).at(-1)?.context ?? { conditions: undefined };
        if (conditions) expect(body.wouldFire.at(-1).evidence.conditions).toEqual(conditions);
      },
    ),
    { numRuns: 40 },
  );
});

it("with confirm counts the failures whose confirming run never took place", async () => {
  const check = await test.newCheck({ frequencySeconds: 60, locations: ["loc_us_east", "loc_us_west"] });
  const [east, west] = check.locationKeys as [number, number];
  const row = (n: number, locationKey: number, status: Delivered["status"] = "success"): Delivered => ({
    slotMs: at(n) + (locationKey === west ? 30_000 : 0),
    locationKey,
    ...(status && { status }),
  });
  await test.deliver(check, [
    row(0, east),
    row(0, west),
    // Confirmed by the other location half a minute later.
    row(1, east, "failure"),
    row(1, west, "failure"),
    row(2, east),
    row(2, west),
    // Nobody else fails within the minute.
    row(10, east, "failure"),
    row(12, east),
  ]);
  const one = [{ type: "consecutive_failures", count: 1 }];
  const { body } = await preview(check, { conditions: one, confirm: true });
  expect(body).toMatchObject({ count: 1, unconfirmed: 1 });
  expect(body.wouldFire[0].startedAt).toBe(iso(at(1) + 30_000));
});

it("names the conditions that stored results say nothing about, and judges the others", async () => {
  const check = await test.newCheck({ frequencySeconds: 60, locations: ["loc_us_east"] });
  await test.deliver(check, [{ slotMs: at(1), status: "failure" }]);
  const missed = { type: "missed_runs", count: 2 };
  const alone = await preview(check, { conditions: [missed] });
  expect(alone.body).toMatchObject({ count: 0, results: 0, notReplayable: [{ type: "missed_runs" }] });
  const both = await preview(check, { conditions: [missed, { type: "consecutive_failures", count: 1 }] });
  expect(both.body).toMatchObject({ count: 1, notReplayable: [{ type: "missed_runs" }] });
});

it.each([
  ["31d", "range"],
  ["0d", "range"],
  ["7", "range"],
])("refuses the range %s", async (range, field) => {
  const check = await test.newCheck();
  const { status, body } = await preview(check, { conditions: TWO_IN_A_ROW, range });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(`"${field}`);
});

it("refuses what a rule of the check would be refused for, and checks of others", async () => {
  const check = await test.newCheck();
  const drift = await preview(check, { conditions: [{ type: "mcp_schema_drift" }] });
  expect(drift.status).toBe(400);
  expect(JSON.stringify(drift.body)).toContain("conditions");
  const unknown = await preview({ id: newId("check") }, { conditions: TWO_IN_A_ROW });
  expect(unknown.status).toBe(404);
});

it("explains which conditions hold, and what the others lack", async () => {
  const check = await test.newCheck({ frequencySeconds: 60, locations: ["loc_us_east"] });
  const id = await test.newRule(check, {
    conditions: [
      { type: "consecutive_failures", count: 1 },
      { type: "response_time_threshold", maxMs: 500 },
    ],
  });
  await test.deliver(check, [{ slotMs: at(1) }, { slotMs: at(2), status: "failure" }]);
  const { status, body } = await test.call("GET", `/api/alerts/${id}/explain`);
  expect([status, body.holds]).toEqual([200, false]);
  expect(body.conditions).toMatchObject([
    { type: "consecutive_failures", holds: true, threshold: 1, observed: 1, missing: null },
    {
      type: "response_time_threshold",
      holds: false,
      threshold: 500,
      observed: 10,
      summary: null,
      missing: "a success that takes more than 500 ms; the slowest took 10 ms",
    },
  ]);
  expect((await test.call("GET", `/api/alerts/${newId("alertRule")}/explain`)).status).toBe(404);
});
