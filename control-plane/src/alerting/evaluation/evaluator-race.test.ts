import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ResultConsumer } from "../../results/ingest/write-group.ts";

let test: AlertTest;
let startMs: number;

beforeAll(async () => {
  test = await createAlertTest();
  startMs = test.clock.nowMs();
});
afterAll(() => test.close());

const at = (n: number) => startMs + n * 60_000;

/** A point that a transaction reaches and waits at until it is let go on. */
function barrier() {
  let reach: () => void = () => undefined;
  let pass: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const wait = () => {
    reach();
    return passed;
  };
  return { reached, wait, pass: () => pass() };
}

/** Resolves once the other transaction waits for a lock of the first one, or has ended. */
async function untilBlockedOr(ended: () => boolean, knex: Knex): Promise<void> {
  while (!ended()) {
    const waiting = await queryRows(
      knex,
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 7310",
    );
    if (waiting.length > 0) return;
  }
}

/**
 * Two replicas store one result each at the same time: both have stored and judged before either commits. Under the lock
 * the second waits for the first; without it each would judge without the other's result.
 */
async function atTheSameTime(
  check: AlertTestCheck,
  results: [Parameters<AlertTest["deliver"]>[1], Parameters<AlertTest["deliver"]>[1]],
): Promise<void> {
  const [first, second] = [test.newEvaluator(), test.newEvaluator()];
  const gate = barrier();
  const firstCommit = test.deliver(check, results[0], async (...stored: Parameters<ResultConsumer>) => {
    await first.evaluateStored(...stored);
    await gate.wait();
  });
  await gate.reached;
  let hasEnded = false;
  const secondCommit = test.deliver(check, results[1], second.evaluateStored).finally(() => {
    hasEnded = true;
  });
  await untilBlockedOr(() => hasEnded, test.services.knex);
  gate.pass();
  await Promise.all([firstCommit, secondCommit]);
}

describe("two replicas that take in results of one check at once", () => {
  async function aTwoLocationCheck(conditions: object[]) {
    const check = await test.newCheck({ locations: ["loc_us_east", "loc_eu_west"] });
    await test.newRule(check, { conditions });
    return { check, here: check.locationKeys[0] as number, there: check.locationKeys[1] as number };
  }

  it("don't both miss what only both results together show", async () => {
    const { check, here, there } = await aTwoLocationCheck([{ type: "multi_location_failure" }]);
    await atTheSameTime(check, [
      [{ slotMs: at(1), locationKey: here, status: "failure" }],
      [{ slotMs: at(1), locationKey: there, status: "failure" }],
    ]);
    expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
  });

  it("don't both fire", async () => {
    const { check, here, there } = await aTwoLocationCheck([{ type: "consecutive_failures", count: 1 }]);
    await atTheSameTime(check, [
      [{ slotMs: at(1), locationKey: here, status: "failure" }],
      [{ slotMs: at(1), locationKey: there, status: "failure" }],
    ]);
    expect(await test.instances(check)).toHaveLength(1);
    expect(await test.notifications(check)).toEqual(["triggered"]);
  });

  it("don't both leave it to the other to recover", async () => {
    const { check, here, there } = await aTwoLocationCheck([{ type: "consecutive_failures", count: 1 }]);
    await test.deliver(check, [
      { slotMs: at(1), locationKey: here, status: "failure" },
      { slotMs: at(1), locationKey: there, status: "failure" },
    ]);
    await atTheSameTime(check, [
      [{ slotMs: at(2), locationKey: here }],
      [{ slotMs: at(2), locationKey: there }],
    ]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
    expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
  });

  it("a success that comes while the failure before it is being judged recovers it", async () => {
    const { check, here } = await aTwoLocationCheck([{ type: "consecutive_failures", count: 1 }]);
    await atTheSameTime(check, [
      [{ slotMs: at(1), locationKey: here, status: "failure" }],
      [{ slotMs: at(2), locationKey: here }],
    ]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });

  it("a rule deleted while a result waits to be judged fires no more", async () => {
    const check = await test.newCheck();
    const ruleId = await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    const other = await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 5 }] });
    const gate = barrier();
    const holding = test.services.knex.transaction(async (trx) => {
      await trx.raw("SELECT pg_advisory_xact_lock(7310, ?)", [check.key % 512]);
      await gate.wait();
      await trx("alertRules")
        .where({ id: ruleId })
        .update({
          enabled: false,
          deletedAt: new Date(),
          revision: 2,
          changedXid: trx.raw("pg_current_xact_id()"),
        });
    });
    await gate.reached;
    const delivering = test.deliver(check, [{ slotMs: at(1), status: "failure" }]);
    await untilBlockedOr(() => false, test.services.knex);
    gate.pass();
    await Promise.all([holding, delivering]);
    expect(await test.instances(check)).toEqual([]);
    expect(other).toMatch(/^alert_/);
  });
});
