import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aPayload } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { enqueue } from "../../outbox/outbox.ts";
import type { Delivered } from "./delivery-tools.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const endLeases = () =>
  test.services
    .knex("notifications")
    .where({ leasedBy: "lost" })
    .update({ dueAt: new Date(0) });

describe("workers", () => {
  it("are woken by the commit: a notification does not wait for the timer", async () => {
    const receiver = await aReceiver();
    const id = await test.aChannel(receiver.url);
    test.aWorker({ pollIntervalMs: 3_600_000 });
    // Until the worker listens, nothing tells it.
    await until(async () => {
      await test.report([id]);
      return receiver.received.length > 0;
    });
    await until(async () => (await test.pending()) === 0);
    const before = receiver.received.length;
    await test.report([id]);
    await receiver.count(before + 1);
  });

  it("of two replicas deliver each notification once", async () => {
    const receiver = await aReceiver();
    const ids = [
      await test.aChannel(receiver.url),
      await test.aChannel(receiver.url),
      await test.aChannel(receiver.url),
    ];
    for (let i = 0; i < 20; i++) await test.report(ids);
    const delivered: Delivered[] = [];
    const onDelivered = async (_trx: unknown, some: readonly Delivered[]) => void delivered.push(...some);
    test.aWorker({ onDelivered });
    test.aWorker({ onDelivered });
    for (let i = 0; i < 20; i++) await test.report(ids);
    await until(async () => (await test.pending()) === 0);
    expect(receiver.received).toHaveLength(120);
    expect(new Set(receiver.received.map(({ body }) => body.notificationId)).size).toBe(120);
    expect(delivered).toHaveLength(120);
    expect(await test.deliveriesOf(ids[0] as string)).toHaveLength(40);
  });

  it("notify of one instance in order, whoever sends, and whatever fails in between", async () => {
    const failedOnce = new Set<string>();
    const receiver = await aReceiver(({ body }) => {
      const isFirst = !failedOnce.has(body.notificationId);
      failedOnce.add(body.notificationId);
      return { status: isFirst && body.eventType === "alert.triggered" ? 503 : 200 };
    });
    const id = await test.aChannel(receiver.url);
    const instances = Array.from({ length: 8 }, () => newId("alertInstance"));
    for (const kind of ["triggered", "acknowledged", "recovered"] as const)
      for (const instance of instances) await test.report([id], instance, kind);
    test.aWorker({ pollIntervalMs: 50 });
    test.aWorker({ pollIntervalMs: 50 });
    await until(async () => {
      await test.hurry();
      return (await test.pending()) === 0;
    });
    for (const instance of instances) {
      const notified = receiver.received.filter(({ body }) => body.alert.id === instance);
      const last = notified.slice(-3).map(({ body }) => body.eventType);
      expect(last).toEqual(["alert.triggered", "alert.acknowledged", "alert.recovered"]);
    }
  });

  it("an endpoint that hangs delays no other channel, and gets no more than two requests at a time", async () => {
    const hanging = await aReceiver(() => "hang");
    const healthy = await aReceiver();
    const stuck = await test.aChannel(hanging.url);
    const fine = await test.aChannel(healthy.url);
    for (let i = 0; i < 30; i++) await test.report([stuck]);
    const worker = test.aWorker();
    await hanging.count(2);
    for (let i = 0; i < 30; i++) await test.report([stuck, fine]);
    await healthy.count(30);
    expect(hanging.received).toHaveLength(2);
    expect(hanging.open).toBe(2);
    await worker.close();
  });

  it("an endpoint that takes what waits is sent more at once, until it no longer does", async () => {
    const receiver = await aReceiver((_request, nth) => (nth < 20 ? { status: 200 } : "hang"));
    const channel = await test.aChannel(receiver.url);
    for (let i = 0; i < 80; i++) await test.report([channel]);
    const worker = test.aWorker();
    await until(() => receiver.open > 8);
    const delivered = receiver.received.length - receiver.open;
    expect(delivered).toBe(20);
    expect(receiver.open).toBeLessThanOrEqual(22);
    await worker.close();
  });

  it("notifications that a lost worker held are delivered when its lease ends", async () => {
    const receiver = await aReceiver();
    const id = await test.aChannel(receiver.url);
    await test.report([id]);
    const { knex } = test.services;
    const leased = { leasedBy: "lost", attempts: 1 };
    await knex("notifications").update({
      ...leased,
      dueAt: knex.raw("clock_timestamp() + interval '1 hour'"),
    });
    test.aWorker({ pollIntervalMs: 20 });
    await test.report([id]);
    await receiver.count(1);
    await until(async () => (await test.pending()) === 1);
    await endLeases();
    await receiver.count(2);
    await until(async () => (await test.pending()) === 0);
    expect((await test.deliveriesOf(id)).map((delivery: { attempt: number }) => delivery.attempt)).toEqual([
      2, 1,
    ]);
  });

  it("release the notifications that they have not begun when they are closed", async () => {
    const hanging = await aReceiver(() => "hang");
    const id = await test.aChannel(hanging.url);
    for (let i = 0; i < 16; i++) await test.report([id]);
    const worker = test.aWorker({ attemptTimeoutMs: 1_000 });
    await hanging.count(2);
    await worker.close();
    const rows = await test.services.knex("notifications").where({ attempts: 0, leasedBy: null });
    expect(rows.length).toBeGreaterThanOrEqual(4);
  });
});

it("later notifications about an incident change the ticket that the first one made", async () => {
  const receiver = await aReceiver(({ method }) => ({
    status: 200,
    body: JSON.stringify({ result: method === "GET" ? [] : { sys_id: "abc" } }),
  }));
  const channel = { type: "ticketing", instanceUrl: receiver.url, username: "u", password: "p" };
  const { id } = (await test.call("POST", CHANNELS_PATH, { name: "tickets", channel })).body.channel;
  const { key: channelKey } = await test.services.knex("notificationChannels").where({ id }).first("key");
  const subjectId = newId("alertInstance");
  test.aWorker();
  for (const kind of ["triggered", "recovered"] as const)
    await enqueue(test.services.knex, [
      { teamId: test.team.teamId, channelKeys: [channelKey], kind, subjectId, payload: aPayload() },
    ]);
  await until(async () => (await test.pending()) === 0);
  expect(receiver.received.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
    "GET /api/now/table/incident",
    "POST /api/now/table/incident",
    "PATCH /api/now/table/incident/abc",
  ]);
});
