import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { endMutes } from "../instances/end-mutes.ts";
import { postgresMuteStore } from "../instances/mute-store.ts";

let test: AlertTest;

beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());

const onFailure = [{ type: "consecutive_failures", count: 1 }];

const events = async (instanceId: string) =>
  (await test.services.knex("alertEvents").where({ instanceId }).orderBy("id")).map(({ type }) => type);

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
    await endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs());
    expect(await test.instances(check)).toMatchObject([{ mutedBy: "user" }]);
    test.clock.advance(60_000);
    await endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs());
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
    await endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs());
    expect(await test.notifications(check)).toEqual([]);
    test.clock.advance(30_000);
    await Promise.all([1, 2].map(() => endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs())));
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
    await endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs(), 2);
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
      for (let i = 0; i < 2; i++) await endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs());
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
      await endMutes(postgresMuteStore(test.services.knex), test.clock.nowMs());
      expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
    });
  });
});
