import type { Check, IncidentWebhookBody } from "@svc/contract";
import { expect, test } from "vitest";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { startReceiver } from "../harness/receiver.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const CHECKS = 40;
const KILLS = 3;

const stack = setUpTestStack();

test("a control plane killed while it places alerts puts each into an incident once, and tells each event", async () => {
  const database = await stack.database();
  const controlPlane = await stack.controlPlane({ databaseUrl: database.url });
  const knex = openPool(database.url, { poolMax: 2 });
  stack.atEnd(() => knex.destroy());
  const receiver = await startReceiver<IncidentWebhookBody>();
  stack.atEnd(() => receiver.close());
  const { locationId, runnerKey } = await createLocation(controlPlane, "watched");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: CHECKS, locationId, url: stack.target.url });
  await addRules(controlPlane, checks, receiver.url);
  await untilAllHaveResults(controlPlane, checks);

  const countMembers = async () =>
    (await knex("incidentMembers").select("instanceId")).length +
    (await knex("incidentMembers").whereNotNull("endedAt").select("instanceId")).length;
  for (let kill = 1; kill <= KILLS; kill++) {
    stack.target.answerWith(kill % 2 === 1 ? 503 : 200);
    const before = await countMembers();
    // In the middle: some are placed, others wait in the queue or have not even begun.
    await until("alerts are placed", async () => (await countMembers()) >= before + 5, {
      withinMs: 40_000,
      everyMs: 5,
    });
    await controlPlane.process.kill9();
    await controlPlane.restart();
  }
  const openAlerts = () => knex("alertInstances").whereIn("state", ["active", "acknowledged"]).select("id");
  const queued = () => knex("incidentQueue").select("key");
  await until("each check has an open alert", async () => (await openAlerts()).length === CHECKS, {
    withinMs: 60_000,
  });
  stack.target.answerWith(200);
  await until("no alert is open", async () => (await openAlerts()).length === 0, { withinMs: 60_000 });
  await until("the queue is empty", async () => (await queued()).length === 0, { withinMs: 30_000 });

  const instances = (await knex("alertInstances").orderBy("id").select("id")).map(({ id }) => id);
  const members = await knex("incidentMembers").orderBy("instanceId").select("instanceId", "endedAt");
  expect(members.map(({ instanceId }) => instanceId)).toEqual(instances);
  expect(members.filter(({ endedAt }) => endedAt === null)).toEqual([]);
  for (const incident of await knex("incidents").select("key", "memberCount", "openMemberCount")) {
    const own = await knex("incidentMembers").where({ incidentKey: incident.key }).orderBy("position");
    expect(incident).toMatchObject({ memberCount: own.length, openMemberCount: 0 });
    expect(own.map(({ position }) => position)).toEqual(own.map((_, index) => index + 1));
  }
  const events = await knex("incidentEvents").orderBy("id").select("id", "type", "payload");
  const joined = events.flatMap(({ type, payload }) =>
    type === "opened" ? payload.memberAlertInstanceIds : (payload.attachedAlertInstanceIds ?? []),
  );
  expect(joined.sort()).toEqual(instances);
  await until(
    "each event was notified",
    () => {
      const received = new Set(receiver.bodies.map(({ event }) => event.eventId));
      return events.every(({ id }) => received.has(id));
    },
    { withinMs: 90_000 },
  );
}, 300_000);

async function addRules(controlPlane: ControlPlane, checks: readonly Check[], url: string): Promise<void> {
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    { name: "receiver", channel: { type: "webhook", url } },
  );
  for (const { id } of checks)
    await controlPlane.ok("POST", `/api/checks/${id}/alerts`, {
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [channel.id],
    });
}
