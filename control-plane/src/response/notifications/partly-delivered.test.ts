import { type AlertInstanceId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aPayload } from "../../../test-support/notifications.ts";
import { aMailServer } from "../../../test-support/receivers.ts";
import { enqueue } from "../../outbox/outbox.ts";
import type { Delivered } from "./delivery-tools.ts";
import { expireNotifications } from "./queue-store.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const [ADA, BOB] = ["ada@example.org", "bob@example.org"];

/** A channel of two addresses, of which the mail server does not take the second one yet, and a worker at work. */
async function aGreylistedChannel() {
  const greylist = { code: 450 as number | undefined };
  const server = await aMailServer((address) => (address === BOB ? greylist.code : undefined));
  Object.assign(test.services.config, { smtpUrl: server.url, smtpFrom: "svc@example.com" });
  const channel = { type: "email", addresses: [ADA, BOB] };
  const { id } = (await test.call("POST", CHANNELS_PATH, { name: "Mail", channel })).body.channel;
  const { knex } = test.services;
  const { key } = await knex("notificationChannels").where({ id }).first("key");
  const report = (
    subjectId: AlertInstanceId = newId("alertInstance"),
    kind: "triggered" | "recovered" = "triggered",
  ) =>
    enqueue(knex, [{ teamId: test.team.teamId, channelKeys: [key], kind, subjectId, payload: aPayload() }]);
  const delivered: Delivered[] = [];
  const worker = test.aWorker({
    pollIntervalMs: 20,
    random: () => 0.5,
    onDelivered: async (_trx, some) => void delivered.push(...some),
  });
  const rows = () => knex("notifications").orderBy("key").select("status", "unreached");
  const deliveries = async (count: number) => {
    await until(async () => (await test.deliveriesOf(id)).length >= count);
    return test.deliveriesOf(id);
  };
  return { server, greylist, report, delivered, worker, rows, deliveries };
}

it("whoever is reached is notified once, and the others later", async () => {
  const { server, greylist, report, delivered, rows, deliveries } = await aGreylistedChannel();
  await report();
  const [first] = await deliveries(1);
  expect(first).toMatchObject({ status: "delivered", notificationStatus: "pending", attempt: 1 });
  expect(first.error).toContain(BOB);
  expect(Date.parse(first.nextAttemptAt) - Date.parse(first.createdAt)).toBeGreaterThan(1_000);
  expect(await rows()).toEqual([{ status: "pending", unreached: [BOB] }]);

  await test.hurry();
  const [second] = await deliveries(2);
  expect(second).toMatchObject({ status: "failed", notificationStatus: "pending", attempt: 2 });
  expect(await rows()).toEqual([{ status: "pending", unreached: [BOB] }]);

  greylist.code = undefined;
  await test.hurry();
  const [third] = await deliveries(3);
  expect(third).toMatchObject({ status: "delivered", notificationStatus: "delivered", error: null });
  expect(server.mails.map(({ to }) => to)).toEqual([[ADA], [BOB]]);
  expect(await rows()).toEqual([{ status: "delivered", unreached: null }]);
  expect(delivered).toHaveLength(1);
});

it("what follows of the same alert does not wait for addresses that are left", async () => {
  const { server, report, deliveries } = await aGreylistedChannel();
  const instanceId = newId("alertInstance");
  await report(instanceId);
  await deliveries(1);
  await report(instanceId, "recovered");
  await deliveries(2);
  expect(server.mails.map(({ to }) => to)).toEqual([[ADA], [ADA]]);
});

it("a server that refuses an address in the end leaves the notification delivered to the others", async () => {
  const { greylist, report, rows, deliveries } = await aGreylistedChannel();
  await report();
  await deliveries(1);
  greylist.code = 550;
  await test.hurry();
  const [last] = await deliveries(2);
  expect(last).toMatchObject({ status: "failed", notificationStatus: "delivered", nextAttemptAt: null });
  expect(await rows()).toEqual([{ status: "delivered", unreached: null }]);
});

it("attempts end after an hour", async () => {
  const { report, worker, rows, deliveries } = await aGreylistedChannel();
  await report();
  await deliveries(1);
  await worker.close();
  const { knex } = test.services;
  await knex("notifications").update({ createdAt: new Date(Date.now() - 3_700_000), dueAt: new Date(0) });
  expect(await expireNotifications(knex)).toBe(1);
  expect(await rows()).toEqual([{ status: "delivered", unreached: null }]);
  expect((await deliveries(2))[0]).toMatchObject({ status: "failed", notificationStatus: "delivered" });
});
