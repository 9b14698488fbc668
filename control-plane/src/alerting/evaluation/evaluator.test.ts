import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { updateBaselines } from "../baselines/update-baselines.ts";
import { endMutes } from "../instances/end-mutes.ts";
import { evaluateBetweenResults } from "./evaluate-between-results.ts";

let test: AlertTest;
let startMs: number;

beforeAll(async () => {
  test = await createAlertTest();
  startMs = test.clock.nowMs();
});
afterAll(() => test.close());

const at = (n: number) => startMs + n * 60_000;
const onFailure = [{ type: "consecutive_failures", count: 1 }];
const events = async (instanceId: string) =>
  (await test.services.knex("alertEvents").where({ instanceId }).orderBy("id")).map(({ type }) => type);

describe("confirmation", () => {
  const orders = (check: AlertTestCheck) =>
    test.services.knex("manualRuns").where({ checkKey: check.key, reason: "confirmation" }).orderBy("slotMs");

  async function failingFirst(locations: string[]) {
    const check = await test.newCheck({ locations });
    await test.newRule(check, { conditions: onFailure, confirm: true });
    const [here] = check.locationKeys as [number];
    await test.deliver(check, [{ slotMs: at(-1), locationKey: here, status: "failure", runnerKey: 11 }]);
    const [order] = await orders(check);
    return { check, here, order };
  }

  it("a first failure fires nothing, and orders one run at another location", async () => {
    const { check, here, order } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    expect(await test.instances(check)).toEqual([]);
    expect(order).toMatchObject({ locationKeys: [check.locationKeys[1]], avoidRunnerKeys: [11] });
    await test.deliver(check, [{ slotMs: at(0) - 1, locationKey: here, status: "failure", runnerKey: 11 }]);
    expect(await orders(check)).toHaveLength(1);
  });

  it("fires when that run fails, and says who confirmed", async () => {
    const { check, order } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    const there = check.locationKeys[1] as number;
    await test.deliver(check, [{ slotMs: order.slotMs, locationKey: there, status: "error", runnerKey: 12 }]);
    const [instance] = await test.instances(check);
    expect(instance).toMatchObject({
      state: "active",
      context: { confirmedBy: { locationId: "loc_eu_west" } },
    });
    expect(instance.context.confirmedBy.resultId).toBe(instance.triggeringResultId);
  });

  it("does not fire when that run succeeds; the next failure asks again", async () => {
    const { check, here, order } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    await test.deliver(check, [
      { slotMs: order.slotMs, locationKey: check.locationKeys[1] as number, runnerKey: 12 },
    ]);
    expect(await test.instances(check)).toEqual([]);
    test.clock.advance(1_000);
    await test.deliver(check, [
      { slotMs: order.slotMs + 1_000, locationKey: here, status: "failure", runnerKey: 11 },
    ]);
    expect(await test.instances(check)).toEqual([]);
    expect(await orders(check)).toHaveLength(2);
  });

  it("with one location it is run there again, by another runner if there is one", async () => {
    const { check, here, order } = await failingFirst(["loc_us_east"]);
    expect(order).toMatchObject({ locationKeys: [here], avoidRunnerKeys: [11] });
    await test.deliver(check, [{ slotMs: order.slotMs, status: "failure", runnerKey: 12 }]);
    expect(await test.instances(check)).toHaveLength(1);
  });

  it("a confirming run that never comes is given up, so that no alert is held back for ever", async () => {
    const { check, here } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    test.clock.advance(61_000);
    const later = { locationKey: here, status: "failure" as const, runnerKey: 11 };
    await test.deliver(check, [{ ...later, slotMs: test.clock.nowMs() }]);
    expect(await orders(check)).toHaveLength(2);
  });

  it("the failure is over before the run came: nothing fires later", async () => {
    const { check, here, order } = await failingFirst(["loc_us_east", "loc_eu_west"]);
    await test.deliver(check, [{ slotMs: order.slotMs + 1, locationKey: here, runnerKey: 11 }]);
    const there = check.locationKeys[1] as number;
    await test.deliver(check, [{ slotMs: order.slotMs, locationKey: there, status: "error", runnerKey: 12 }]);
    expect(await test.instances(check)).toEqual([]);
  });
});

describe("muting", () => {
  const post = (id: string, verb: string, payload?: object) =>
    test.call("POST", `/api/alerts/instances/${id}/${verb}`, payload);

  async function active(check?: AlertTestCheck) {
    const mine = check ?? (await test.newCheck());
    await test.newRule(mine, { conditions: onFailure });
    await test.deliver(mine, [{ slotMs: test.clock.nowMs(), status: "failure" }]);
    const [instance] = await test.instances(mine);
    return { check: mine, instance };
  }

  async function aWindow(check: AlertTestCheck, endsInMs: number) {
    const { knex } = test.services;
    const nowMs = test.clock.nowMs();
    const [startsAt, endsAt] = [new Date(nowMs - 1_000), new Date(nowMs + endsInMs)];
    const [window] = await knex("maintenanceWindows")
      .insert({
        id: `mw_${check.key}`,
        teamId: test.team.teamId,
        name: `window ${check.key}`,
        mode: "continue",
        isForAllChecks: false,
        startsAt,
        endsAt,
        timezone: "UTC",
        expandedUntil: endsAt,
      })
      .returning("key");
    await knex("maintenanceWindowChecks").insert({ windowKey: window.key, checkKey: check.key });
    await knex("maintenanceOccurrences").insert({ windowKey: window.key, startsAt, endsAt });
  }

  it("a mute with an end is undone when its time is up", async () => {
    const { check, instance } = await active();
    const until = new Date(test.clock.nowMs() + 60_000).toISOString();
    expect((await post(instance.id, "mute", { until })).status).toBe(200);
    expect(await test.instances(check)).toMatchObject([{ mutedBy: "user" }]);
    await endMutes(test.services.knex, test.clock.nowMs());
    expect(await test.instances(check)).toMatchObject([{ mutedBy: "user" }]);
    test.clock.advance(60_000);
    await endMutes(test.services.knex, test.clock.nowMs());
    expect(await test.instances(check)).toMatchObject([{ mutedBy: null }]);
    expect(await events(instance.id)).toEqual(["triggered", "muted", "unmuted"]);
    expect(await test.notifications(check)).toEqual(["triggered"]);
  });

  it("an instant that has passed is refused", async () => {
    const { instance } = await active();
    const until = new Date(test.clock.nowMs()).toISOString();
    expect((await post(instance.id, "mute", { until })).status).toBe(400);
  });

  it("unmuting is harmless twice", async () => {
    const { instance } = await active();
    await post(instance.id, "mute");
    expect((await post(instance.id, "unmute")).status).toBe(200);
    expect((await post(instance.id, "unmute")).status).toBe(200);
    expect(await events(instance.id)).toEqual(["triggered", "muted", "unmuted"]);
  });

  it("whoever was notified of the trigger is notified of the end, muted or not", async () => {
    const { check, instance } = await active();
    await post(instance.id, "mute");
    await test.deliver(check, [{ slotMs: test.clock.nowMs() + 1 }]);
    expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
  });

  it("in a maintenance window an instance is recorded, muted, and nobody is notified", async () => {
    const check = await test.newCheck();
    await aWindow(check, 30_000);
    const { instance } = await active(check);
    expect(instance).toMatchObject({ state: "active", mutedBy: "window" });
    expect(await events(instance.id)).toEqual(["triggered", "muted"]);
    await test.deliver(check, [{ slotMs: test.clock.nowMs() + 1 }]);
    expect(await test.notifications(check)).toEqual([]);
  });

  it("when the window ends and the instance is still open, channels are notified then, once", async () => {
    const check = await test.newCheck();
    await aWindow(check, 30_000);
    const { instance } = await active(check);
    await endMutes(test.services.knex, test.clock.nowMs());
    expect(await test.notifications(check)).toEqual([]);
    test.clock.advance(30_000);
    await Promise.all([1, 2].map(() => endMutes(test.services.knex, test.clock.nowMs())));
    expect(await test.notifications(check)).toEqual(["triggered"]);
    expect(await events(instance.id)).toEqual(["triggered", "muted", "unmuted"]);
  });

  it("lasting windows don't keep other mutes from ending, however many instances they mute", async () => {
    const held = [];
    for (let i = 0; i < 3; i++) {
      const check = await test.newCheck();
      await aWindow(check, 3_600_000);
      held.push(await active(check));
    }
    const { check, instance } = await active();
    const until = new Date(test.clock.nowMs() + 1_000).toISOString();
    await post(instance.id, "mute", { until });
    test.clock.advance(1_000);
    await endMutes(test.services.knex, test.clock.nowMs(), 2);
    expect(await test.instances(check)).toMatchObject([{ mutedBy: null }]);
    for (const one of held) expect(await test.instances(one.check)).toMatchObject([{ mutedBy: "window" }]);
  });

  describe("an announced instance whose severity rises", () => {
    const days = (count: number) => new Date(test.clock.nowMs() + count * 86_400_000).toISOString();
    async function warned() {
      const check = await test.newCheck();
      await test.newRule(check, { conditions: [{ type: "ssl_expiry", severity: "warning" }] });
      await test.deliver(check, [{ slotMs: test.clock.nowMs(), tls: { validTo: days(10) } }]);
      const [instance] = await test.instances(check);
      const escalate = async () => {
        test.clock.advance(1_000);
        await test.deliver(check, [{ slotMs: test.clock.nowMs(), tls: { validTo: days(2) } }]);
      };
      return { check, id: instance.id, escalate };
    }

    it("in a maintenance window is recorded, and notified of once when the window ends", async () => {
      const { check, id, escalate } = await warned();
      await aWindow(check, 30_000);
      await escalate();
      expect(await test.notifications(check)).toEqual(["triggered"]);
      expect(await test.instances(check)).toMatchObject([{ severity: "critical", mutedBy: "window" }]);
      expect(await events(id)).toEqual(["triggered", "escalated", "muted"]);
      test.clock.advance(30_000);
      for (let i = 0; i < 2; i++) await endMutes(test.services.knex, test.clock.nowMs());
      expect(await test.notifications(check)).toEqual(["triggered", "escalated"]);
      expect(await events(id)).toEqual(["triggered", "escalated", "muted", "unmuted"]);
    });

    it("while somebody muted it is notified of once when it is unmuted", async () => {
      const { check, id, escalate } = await warned();
      await post(id, "mute");
      await escalate();
      expect(await test.notifications(check)).toEqual(["triggered"]);
      expect(await test.instances(check)).toMatchObject([{ severity: "critical", mutedBy: "user" }]);
      await post(id, "unmute");
      await post(id, "mute");
      await post(id, "unmute");
      expect(await test.notifications(check)).toEqual(["triggered", "escalated"]);
    });

    it("and that ends before its mute does is notified of its end alone", async () => {
      const { check, escalate } = await warned();
      await aWindow(check, 30_000);
      await escalate();
      test.clock.advance(1_000);
      await test.deliver(check, [{ slotMs: test.clock.nowMs(), tls: { validTo: days(90) } }]);
      test.clock.advance(30_000);
      await endMutes(test.services.knex, test.clock.nowMs());
      expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
    });
  });
});

describe("certificates", () => {
  const expiring = (days: number) => ({ validTo: new Date(startMs + days * 86_400_000).toISOString() });

  it("an expiry escalates in its last days, and is over with a new certificate", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "ssl_expiry", severity: "warning" }] });
    await test.deliver(check, [{ slotMs: at(1), tls: expiring(10) }]);
    expect(await test.instances(check)).toMatchObject([{ severity: "warning", state: "active" }]);
    await test.deliver(check, [{ slotMs: at(2), tls: expiring(2) }]);
    const [instance] = await test.instances(check);
    expect(instance).toMatchObject({ severity: "critical", state: "active" });
    await test.deliver(check, [{ slotMs: at(3), tls: expiring(90) }]);
    expect(await test.notifications(check)).toEqual(["triggered", "escalated", "recovered"]);
  });

  it("a rule that is younger than the last report of the certificate is judged by that report", async () => {
    const check = await test.newCheck();
    await test.deliver(check, [{ slotMs: at(1), tls: expiring(5) }]);
    await test.newRule(check, { conditions: [{ type: "ssl_expiry" }] });
    await test.deliver(check, [{ slotMs: at(2) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
  });

  it("a new fingerprint fires once and is over with the next run", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "ssl_certificate_changed", severity: "info" }] });
    await test.deliver(check, [{ slotMs: at(1), tls: { fingerprintSha256: "A" } }]);
    await test.deliver(check, [{ slotMs: at(2), tls: { fingerprintSha256: "B" } }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active", severity: "info" }]);
    await test.deliver(check, [{ slotMs: at(3) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });
});

it("a change of an MCP server fires by what the run reported", async () => {
  const check = await test.newCheck();
  await test.newRule(check, { conditions: [{ type: "mcp_schema_drift" }] });
  const mcpSchemaDrift = { added: ["search"], removed: [], modified: [], escalated: [], server: [] };
  await test.deliver(check, [{ slotMs: at(1), detail: { mcpSchemaDrift } }]);
  expect(await test.instances(check)).toMatchObject([
    { severity: "warning", context: { conditions: [{ observed: { added: ["search"] } }] } },
  ]);
});

it("all conditions must hold at once", async () => {
  const check = await test.newCheck();
  await test.newRule(check, { conditions: [...onFailure, { type: "response_time_threshold", maxMs: 100 }] });
  await test.deliver(check, [{ slotMs: at(1) }, { slotMs: at(2), status: "failure" }]);
  expect(await test.instances(check)).toEqual([]);
  await test.deliver(check, [{ slotMs: at(3), responseTimeMs: 500 }]);
  expect(await test.instances(check)).toEqual([]);
  await test.deliver(check, [{ slotMs: at(4), status: "failure" }]);
  expect(await test.instances(check)).toHaveLength(1);
});

describe("missed runs", () => {
  const look = () => evaluateBetweenResults(test.services.knex, test.evaluator);

  it("fire once slots have passed without a result, and end with a result", async () => {
    const check = await test.newCheck({ frequencySeconds: 60 });
    await test.newRule(check, { conditions: [{ type: "missed_runs", count: 2 }] });
    test.clock.advance(60_000);
    await look();
    expect(await test.instances(check)).toEqual([]);
    test.clock.advance(180_000);
    await look();
    await look();
    expect(await test.instances(check)).toMatchObject([{ state: "active", triggeringResultId: null }]);
    const { body } = await test.call("GET", `/api/alerts/instances?checkId=${check.id}`);
    const missed = body.instances[0].contextJson.conditions[0].observed[0].missedSlots.map(Date.parse);
    expect(missed[0] - missed[1]).toBe(60_000);
    await test.deliver(check, [{ slotMs: missed[0] + 60_000, status: "failure" }]);
    test.clock.advance(60_000);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });
});

describe("baselines", () => {
  it("are built from what is stored, and a deviation of all last runs fires", async () => {
    const check = await test.newCheck({ frequencySeconds: 60 });
    const baseMs = Math.floor(test.clock.nowMs() / 3_600_000) * 3_600_000 - 7 * 86_400_000;
    const usual = Array.from({ length: 40 }, (_, i) => ({
      slotMs: baseMs + i * 60_000,
      responseTimeMs: 100 + (i % 5),
    }));
    await test.deliver(check, usual);
    const condition = { type: "baseline_anomaly", metric: "response_time", consecutiveCount: 2 };
    await test.newRule(check, { conditions: [condition] });
    await updateBaselines(test.services.knex, test.clock.nowMs());
    const thisWeek = (minute: number) => baseMs + 7 * 86_400_000 + minute * 60_000;
    await test.deliver(check, [{ slotMs: thisWeek(1), responseTimeMs: 300 }]);
    expect(await test.instances(check)).toEqual([]);
    await test.deliver(check, [{ slotMs: thisWeek(2), responseTimeMs: 310 }]);
    expect(await test.instances(check)).toMatchObject([{ severity: "warning" }]);
    await test.deliver(check, [{ slotMs: thisWeek(3), responseTimeMs: 102 }]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });

  it("an outage among the very first samples does not hide later anomalies", async () => {
    const check = await test.newCheck({ frequencySeconds: 60 });
    const baseMs = Math.floor(test.clock.nowMs() / 3_600_000) * 3_600_000 - 7 * 86_400_000;
    const first = Array.from({ length: 40 }, (_, i) => ({
      slotMs: baseMs + i * 60_000,
      responseTimeMs: i < 5 ? 25_000 : 100 + (i % 5),
    }));
    await test.deliver(check, first);
    const condition = { type: "baseline_anomaly", metric: "response_time", consecutiveCount: 2 };
    await test.newRule(check, { conditions: [condition] });
    await updateBaselines(test.services.knex, test.clock.nowMs());
    const [cell] = await test.services.knex("baselines").where({ checkKey: check.key });
    expect(cell).toMatchObject({ sampleCount: 40 });
    const thisWeek = baseMs + 7 * 86_400_000;
    for (const minute of [1, 2])
      await test.deliver(check, [{ slotMs: thisWeek + minute * 60_000, responseTimeMs: 400 }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active", severity: "warning" }]);
  });

  it("each result is folded in once, however often and by however many it is done", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "baseline_anomaly", metric: "response_time" }] });
    const baseMs = test.clock.nowMs() - 86_400_000;
    await test.deliver(
      check,
      Array.from({ length: 30 }, (_, i) => ({ slotMs: baseMs + i })),
    );
    const update = () => updateBaselines(test.services.knex, test.clock.nowMs());
    await Promise.all([update(), update()]);
    await update();
    const cells = await test.services.knex("baselines").where({ checkKey: check.key });
    expect(cells.reduce((sum, { sampleCount }) => sum + sampleCount, 0)).toBe(30);
  });
});
