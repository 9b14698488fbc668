/** Ends of holds that meet a maintenance window, an announcement of before, or an acknowledgement. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { registerMaintenanceRoutes } from "../../checks/maintenance/routes.ts";
import { endMutes } from "../instances/end-mutes.ts";
import { postgresMuteStore } from "../instances/mute-store.ts";
import { reviewHolds } from "./review-holds.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({ register: registerMaintenanceRoutes });
});
afterAll(() => test.close());

const nowMs = () => test.clock.nowMs();
const kinds = (check: AlertTestCheck) => test.notifications(check);
const shown = async (check: AlertTestCheck) =>
  (await test.call("GET", `/api/alerts/instances?checkId=${check.id}`)).body.instances[0];
const events = (check: AlertTestCheck) =>
  test.services.knex("alertEvents").where({ checkKey: check.key }).orderBy("id").pluck("type");

/** A check whose alert is held, because a check that it depends on has not run. */
async function aHeldOne(): Promise<AlertTestCheck> {
  const parent = await test.newCheck({ name: "p" });
  const child = await test.newCheck({ name: "c", dependsOn: [parent.id] } as object);
  await test.newRule(child, { conditions: [{ type: "consecutive_failures", count: 1 }] });
  await test.deliver(child, [{ slotMs: nowMs(), status: "failure" }]);
  return child;
}

async function pass(seconds: number): Promise<void> {
  test.clock.advance(seconds * 1000);
  await reviewHolds(test.services.knex, nowMs());
}

it("a hold that ends inside a maintenance window that began meanwhile: only the end of the window notifies", async () => {
  const child = await aHeldOne();
  const window = (fromMs: number, toMs: number) => ({
    name: "upgrade",
    checkIds: [child.id],
    startsAt: new Date(fromMs).toISOString(),
    endsAt: new Date(toMs).toISOString(),
  });
  const { status } = await test.call(
    "POST",
    "/api/maintenance-windows",
    window(nowMs() + 30_000, nowMs() + 3_600_000),
  );
  expect(status).toBe(201);
  await pass(100);
  expect(await kinds(child)).toEqual([]);
  expect(await events(child)).toEqual(["triggered", "held", "released", "muted"]);
  expect(await shown(child)).toMatchObject({ muted: true });
  expect(await shown(child)).not.toHaveProperty("heldBack");
  test.clock.advance(3_600_000);
  await endMutes(postgresMuteStore(test.services.knex), nowMs());
  expect(await kinds(child)).toEqual(["triggered"]);
});

it("an alert that was announced while it was held, as by an older replica, is not announced again; its rise is", async () => {
  for (const hasUntoldEscalation of [false, true]) {
    const child = await aHeldOne();
    await test.services
      .knex("alertInstances")
      .where({ checkKey: child.key })
      .update({ wasAnnounced: true, hasUntoldEscalation });
    await pass(60);
    expect(await kinds(child)).toEqual(hasUntoldEscalation ? ["escalated"] : []);
    expect(await events(child)).toEqual(["triggered", "held", "released"]);
  }
});

it.each(["hold", "mute"])(
  "an alert that somebody acknowledged before the end of its %s is announced as acknowledged, too",
  async (what) => {
    const child = await aHeldOne();
    const { id } = await shown(child);
    const post = (verb: string) => test.call("POST", `/api/alerts/instances/${id}/${verb}`);
    if (what === "mute") {
      await post("mute");
      await pass(60);
    }
    expect((await post("acknowledge")).status).toBe(200);
    expect(await kinds(child)).toEqual([]);
    if (what === "mute") await post("unmute");
    else await pass(60);
    expect(await kinds(child)).toEqual(["triggered", "acknowledged"]);
    const { acknowledgedBy } = (await test.call("GET", `/api/alerts/instances/${id}`)).body.instance;
    const sent = await test.services
      .knex("notifications")
      .where({ subjectId: id, kind: "acknowledged" })
      .first("payload");
    expect(sent.payload.actorId).toBe(acknowledgedBy);
  },
);
