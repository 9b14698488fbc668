import { type CheckId, phaseMs, slotAtOrAfter } from "@svc/contract";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { resolveOutOfService } from "../instances/resolve-out-of-service.ts";
import { evaluateBetweenResults } from "./evaluate-between-results.ts";

const LOCATIONS = ["loc_us_east", "loc_eu_west"];

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterEach(() => setStatus(LOCATIONS, "active"));
afterAll(() => test.close());

async function setStatus(ids: readonly string[], status: "active" | "retired"): Promise<void> {
  await test.services
    .knex("locations")
    .whereIn("id", ids)
    .update({ status, statusChangedAt: new Date(test.clock.nowMs()) });
}

/** A check at these locations with one rule, and the result of its newest slot at each of them. */
async function aCheckAt(
  locations: string[],
  condition: Record<string, unknown>,
  statuses: ("success" | "failure")[],
) {
  const check = await test.newCheck({ frequencySeconds: 60, locations });
  await test.newRule(check, { conditions: [condition] });
  await deliver(check, statuses);
  return check;
}

async function deliver(
  check: AlertTestCheck,
  statuses: ("success" | "failure" | undefined)[],
): Promise<void> {
  const slotMs = slotAtOrAfter(test.clock.nowMs() - 59_999, 60_000, phaseMs(check.id as CheckId, 60));
  const results = statuses.flatMap((status, at) =>
    status ? [{ slotMs, locationKey: check.locationKeys[at] as number, status }] : [],
  );
  await test.deliver(check, results);
}

const betweenResults = () => evaluateBetweenResults(test.services.knex, test.evaluator);
const failures = { type: "consecutive_failures", count: 1 };

it("an alert that failed only at a retired location recovers with the next success elsewhere", async () => {
  const check = await aCheckAt(LOCATIONS, failures, ["failure", "success"]);
  test.clock.advance(60_000);
  await deliver(check, [undefined, "success"]);
  expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
  await setStatus(["loc_us_east"], "retired");
  test.clock.advance(60_000);
  await deliver(check, [undefined, "success"]);
  expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
});

it("a late failure from a retired location fires nothing", async () => {
  const check = await aCheckAt(LOCATIONS, failures, ["success", "success"]);
  await setStatus(["loc_us_east"], "retired");
  test.clock.advance(60_000);
  await deliver(check, ["failure", "success"]);
  expect(await test.instances(check)).toEqual([]);
});

it("slots missed at a retired location fire nothing, and end what they fired", async () => {
  const missed = { type: "missed_runs", count: 2 };
  const [before, after] = [
    await aCheckAt(LOCATIONS, missed, ["success", "success"]),
    await test.newCheck({ frequencySeconds: 60, locations: ["loc_eu_west", "loc_us_east"] }),
  ];
  test.clock.advance(300_000);
  await deliver(before, [undefined, "success"]);
  await betweenResults();
  expect(await test.instances(before)).toMatchObject([{ state: "active" }]);
  await setStatus(["loc_us_east"], "retired");
  await test.newRule(after, { conditions: [missed] });
  await deliver(after, ["success"]);
  await betweenResults();
  expect(await test.instances(after)).toEqual([]);
  test.clock.advance(60_000);
  await deliver(before, [undefined, "success"]);
  await betweenResults();
  expect(await test.instances(before)).toMatchObject([{ state: "recovered" }]);
});

it("a location that is put in service again is not asked for the slots of before", async () => {
  const check = await aCheckAt(["loc_us_east"], { type: "missed_runs", count: 2 }, ["success"]);
  await setStatus(["loc_us_east"], "retired");
  test.clock.advance(600_000);
  await setStatus(["loc_us_east"], "active");
  await betweenResults();
  expect(await test.instances(check)).toEqual([]);
  test.clock.advance(600_000);
  await betweenResults();
  expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
});

it("retiring the last location in service resolves the open alert with its reason, once, and nothing fires again", async () => {
  const check = await aCheckAt(LOCATIONS, failures, ["failure", "success"]);
  await test.newRule(check, { conditions: [{ type: "missed_runs", count: 2 }] });
  const { knex } = test.services;
  const resolve = () => resolveOutOfService(knex, test.clock.nowMs(), { checksAtOnce: 1 });
  await setStatus(["loc_us_east"], "retired");
  await resolve();
  expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
  await setStatus(["loc_eu_west"], "retired");
  await resolve();
  await resolve();
  const [instance, ...others] = await test.instances(check);
  expect(instance).toMatchObject({ state: "resolved" });
  expect(others).toEqual([]);
  expect(await test.notifications(check)).toEqual(["triggered", "resolved"]);
  const events = await knex("alertEvents").where({ instanceId: instance.id, type: "resolved" });
  expect(events).toMatchObject([{ detail: { reason: "all locations of the check were retired" } }]);
  test.clock.advance(600_000);
  await deliver(check, ["failure", "failure"]);
  await betweenResults();
  expect(await test.instances(check)).toHaveLength(1);
});
