import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";

let test: AlertTest;
let startMs: number;

beforeAll(async () => {
  test = await createAlertTest();
  startMs = test.clock.nowMs();
});
afterAll(() => test.close());

const at = (n: number) => startMs + n * 60_000;

const onFailure = [{ type: "consecutive_failures", count: 1 }];

describe("confirmation", () => {
  const dispatches = (check: AlertTestCheck) =>
    test.services.knex("manualRuns").where({ checkKey: check.key, reason: "confirmation" }).orderBy("slotMs");

  async function failingFirst(locations: string[]) {
    const check = await test.newCheck({ locations });
    await test.newRule(check, { conditions: onFailure, confirm: true });
    const [here] = check.locationKeys as [number];
    await test.deliver(check, [{ slotMs: at(-1), locationKey: here, status: "failure", runnerKey: 11 }]);
    const [dispatch] = await dispatches(check);
    return { check, here, dispatch };
  }

  it("a first failure fires nothing, and dispatches one run at another location", async () => {
    const { check, here, dispatch } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    expect(await test.instances(check)).toEqual([]);
    expect(dispatch).toMatchObject({ locationKeys: [check.locationKeys[1]], avoidRunnerKeys: [11] });
    await test.deliver(check, [{ slotMs: at(0) - 1, locationKey: here, status: "failure", runnerKey: 11 }]);
    expect(await dispatches(check)).toHaveLength(1);
  });

  it("fires when that run fails, and says who confirmed", async () => {
    const { check, dispatch } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    const there = check.locationKeys[1] as number;
    await test.deliver(check, [
      { slotMs: dispatch.slotMs, locationKey: there, status: "error", runnerKey: 12 },
    ]);
    const [instance] = await test.instances(check);
    expect(instance).toMatchObject({
      state: "active",
      context: { confirmedBy: { locationId: "loc_eu_west" } },
    });
    expect(instance.context.confirmedBy.resultId).toBe(instance.triggeringResultId);
  });

  it("does not fire when that run succeeds; the next failure asks again", async () => {
    const { check, here, dispatch } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    await test.deliver(check, [
      { slotMs: dispatch.slotMs, locationKey: check.locationKeys[1] as number, runnerKey: 12 },
    ]);
    expect(await test.instances(check)).toEqual([]);
    test.clock.advance(1_000);
    await test.deliver(check, [
      { slotMs: dispatch.slotMs + 1_000, locationKey: here, status: "failure", runnerKey: 11 },
    ]);
    expect(await test.instances(check)).toEqual([]);
    expect(await dispatches(check)).toHaveLength(2);
  });

  it("with one location it is run there again, by another runner if there is one", async () => {
    const { check, here, dispatch } = await failingFirst(["loc_us_east"]);
    expect(dispatch).toMatchObject({ locationKeys: [here], avoidRunnerKeys: [11] });
    await test.deliver(check, [{ slotMs: dispatch.slotMs, status: "failure", runnerKey: 12 }]);
    expect(await test.instances(check)).toHaveLength(1);
  });

  it("a confirming run that never comes is given up, so that no alert is held back for ever", async () => {
    const { check, here } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    test.clock.advance(61_000);
    const later = { locationKey: here, status: "failure" as const, runnerKey: 11 };
    await test.deliver(check, [{ ...later, slotMs: test.clock.nowMs() }]);
    expect(await dispatches(check)).toHaveLength(2);
  });

  it("the failure is over before the run came: nothing fires later", async () => {
    const { check, here, dispatch } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    await test.deliver(check, [{ slotMs: dispatch.slotMs + 1, locationKey: here, runnerKey: 11 }]);
    const there = check.locationKeys[1] as number;
    await test.deliver(check, [
      { slotMs: dispatch.slotMs, locationKey: there, status: "error", runnerKey: 12 },
    ]);
    expect(await test.instances(check)).toEqual([]);
  });
});
