import { MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { recordBudgetWarnings } from "./budget-warnings.ts";
import { registerSloRoutes } from "./routes.ts";

let test: AlertTest;
let check: AlertTestCheck;
let sloId: string;
beforeAll(async () => {
  test = await createAlertTest({ register: registerSloRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.clock.advance(MINUTE_MS);
  await test.services.knex("slos").delete();
  check = await test.newCheck();
  const body = {
    name: "Up",
    checkId: check.id,
    targetBasisPoints: 9_900,
    windowDays: 7,
    channelIds: [test.channelId],
  };
  sloId = (await test.call("POST", "/api/slos", body)).body.slo.id;
});

/** One result a minute, the newest one a minute ago. */
const deliver = (statuses: readonly ("success" | "error")[]) =>
  test.deliver(
    check,
    statuses.map((status, i) => ({
      status,
      slotMs: test.clock.nowMs() - (statuses.length - i) * MINUTE_MS,
    })),
  );
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const look = () => recordBudgetWarnings(test.services.knex, test.clock.nowMs());
const warnings = async () => {
  const events = await test.services
    .knex("derivedEvents")
    .where({ name: "synthetics.slo.budget.warning" })
    .whereRaw("attributes ->> 'synthetics.slo.id' = ?", [sloId])
    .orderBy("createdAt");
  return events.map(({ severity, attributes }) => [
    severity,
    attributes["synthetics.slo.burn_rate.threshold"],
  ]);
};

it("a crossing is recorded once, however often and by how many replicas the SLO is looked at", async () => {
  await deliver([...times(40, "success" as const), ...times(5, "error" as const)]);
  await Promise.all([look(), look(), look()]);
  // 5 of 45 within the hour and six hours: a rate of 11.
  expect(await warnings()).toEqual([["warning", 6]]);
  await look();
  expect(await warnings()).toHaveLength(1);
  test.clock.advance(5 * MINUTE_MS);
  await deliver(times(5, "error"));
  await Promise.all([look(), look()]);
  expect(await warnings()).toEqual([
    ["warning", 6],
    ["critical", 14.4],
  ]);
});

it("a crossing is recorded again after the rate fell back", async () => {
  await deliver(times(10, "error"));
  await look();
  expect(await warnings()).toHaveLength(2);
  // Both long windows have passed it.
  test.clock.advance(400 * MINUTE_MS);
  await deliver(times(10, "success"));
  await look();
  test.clock.advance(400 * MINUTE_MS);
  await deliver(times(10, "error"));
  await look();
  expect(await warnings()).toHaveLength(4);
});

it("an SLO that is switched off is warned of once it is enabled again", async () => {
  await test.call("PUT", `/api/slos/${sloId}`, { enabled: false });
  await deliver(times(10, "error"));
  await look();
  expect(await warnings()).toEqual([]);
  await test.call("PUT", `/api/slos/${sloId}`, { enabled: true });
  await look();
  expect(await warnings()).toHaveLength(2);
});

it("the event says which SLO, how fast, and what is left", async () => {
  await deliver(times(10, "error"));
  await look();
  const [{ attributes, severity, resourceAttributes, teamId, checkId }] = await test.services
    .knex("derivedEvents")
    .whereRaw("attributes ->> 'synthetics.slo.id' = ?", [sloId])
    .where({ severity: "critical" });
  expect([severity, resourceAttributes, teamId, checkId]).toEqual(["critical", {}, test.team.teamId, null]);
  expect(attributes).toMatchObject({
    "synthetics.slo.name": "Up",
    "synthetics.slo.check_id": check.id,
    "synthetics.slo.burn_rate.long": 100,
    "synthetics.slo.burn_rate.long_window_minutes": 60,
    "synthetics.slo.budget.consumed_ratio": 1,
    "synthetics.slo.budget.remaining_minutes": 0,
  });
});

it("the generated alerts fire between results and recover by a result", async () => {
  await deliver(times(10, "error"));
  await test.services.knex.transaction((trx) => test.evaluator.evaluateNow(trx, [check.key]));
  expect((await test.instances(check)).map(({ state }) => state)).toEqual(["active", "active"]);
  test.clock.advance(30 * MINUTE_MS);
  await test.services.knex.transaction((trx) => test.evaluator.evaluateNow(trx, [check.key]));
  expect((await test.instances(check)).map(({ state }) => state)).toEqual(["active", "active"]);
  test.clock.advance(10 * MINUTE_MS);
  await deliver(times(5, "success"));
  expect((await test.instances(check)).map(({ state }) => state)).toEqual(["recovered", "recovered"]);
});

it("an open alert is resolved when its SLO is deleted", async () => {
  await deliver(times(10, "error"));
  await test.services.knex.transaction((trx) => test.evaluator.evaluateNow(trx, [check.key]));
  await test.call("DELETE", `/api/slos/${sloId}`);
  expect((await test.instances(check)).map(({ state }) => state)).toEqual(["resolved", "resolved"]);
});
