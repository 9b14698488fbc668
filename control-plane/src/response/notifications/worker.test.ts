import { randomUUID } from "node:crypto";
import { type AlertInstanceId, type ChannelId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aPayload } from "../../../test-support/notifications.ts";
import { aReceiver, type Received } from "../../../test-support/receivers.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { enqueue } from "../../outbox/outbox.ts";
import type { AlertNotificationKind } from "../../outbox/payload.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { createDeliveryTools, type Delivered, type DeliveryOptions } from "./delivery-tools.ts";
import { expireNotifications, purgeNotifications } from "./queue-store.ts";
import { registerNotificationRoutes } from "./routes.ts";
import { NotificationWorker } from "./worker.ts";

const PATH = "/api/notification-channels";
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    settings: { SVC_EGRESS_PRIVATE: "allow" },
    register: (app, services) => {
      registerChannelRoutes(app, services);
      registerNotificationRoutes(app, services, createDeliveryTools(services));
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("notifications").delete();
  test.team = await test.createTeam();
});

/** Creates a webhook that takes alerts, not incidents. */
async function aChannel(url: string): Promise<ChannelId> {
  const channel = { type: "webhook", url };
  const { id } = (await test.call("POST", PATH, { name: randomUUID(), channel })).body.channel;
  await test.call("PUT", `${PATH}/${id}`, { incidentSubscribed: false });
  return id;
}

/** Starts a replica's worker until the test ends. */
function aWorker(
  options: DeliveryOptions & { leaseMs?: number; pollIntervalMs?: number; quickMs?: number } = {},
) {
  const { leaseMs, pollIntervalMs, quickMs, ...rest } = options;
  const tools = createDeliveryTools(test.services, { owner: randomUUID(), ...rest });
  const worker = new NotificationWorker({
    tools,
    log: test.services.log,
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
    ...(quickMs === undefined ? {} : { quickMs }),
  });
  worker.start();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= worker.close();
    return closing;
  };
  onTestFinished(close);
  return { close };
}

function report(
  channelIds: ChannelId[],
  instanceId: AlertInstanceId = newId("alertInstance"),
  kind: AlertNotificationKind = "triggered",
) {
  return test.services.knex.transaction((trx) =>
    reportAlerts(trx, [{ teamId: test.team.teamId, channelIds, kind, instanceId, payload: aPayload() }]),
  );
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const pending = async () =>
  Number((await test.services.knex("notifications").where({ status: "pending" }).count())[0]?.count);
const deliveriesOf = async (channelId: string) =>
  (await test.call("GET", `${PATH}/${channelId}/deliveries`)).body.deliveries;
/** Makes notifications due that wait for a further attempt; those that a worker has claimed stay with it. */
const hurry = () =>
  test.services
    .knex("notifications")
    .where({ status: "pending", leasedBy: null })
    .update({ dueAt: new Date(0) });
const endLeases = () =>
  test.services
    .knex("notifications")
    .where({ leasedBy: "lost" })
    .update({ dueAt: new Date(0) });

describe("the outbox", () => {
  it("a report goes to each channel of the team once", async () => {
    const channels = [await aChannel("http://127.0.0.1:9/a"), await aChannel("http://127.0.0.1:9/b")];
    const own = test.team;
    test.team = await test.createTeam();
    const foreign = await aChannel("http://127.0.0.1:9/c");
    const items = [1, 2, 3].map(() => ({
      teamId: own.teamId,
      channelIds: [...channels, ...channels, foreign, newId("channel"), "nonsense" as ChannelId],
      kind: "triggered" as const,
      instanceId: newId("alertInstance"),
      payload: aPayload(),
    }));
    expect(await reportAlerts(test.services.knex, items)).toBe(6);
    expect(await pending()).toBe(6);
    expect(await reportAlerts(test.services.knex, [])).toBe(0);
  });

  it("a notification of a transaction that is rolled back is not sent", async () => {
    const receiver = await aReceiver();
    const id = await aChannel(receiver.url);
    aWorker();
    await test.services.knex
      .transaction(async (trx) => {
        await reportAlerts(trx, [
          {
            teamId: test.team.teamId,
            channelIds: [id],
            kind: "triggered",
            payload: aPayload(),
            instanceId: newId("alertInstance"),
          },
        ]);
        throw new Error("undo");
      })
      .catch(() => undefined);
    await report([id]);
    await until(async () => (await pending()) === 0);
    expect(receiver.received).toHaveLength(1);
  });
});

describe("workers", () => {
  it("are woken by the commit: a notification does not wait for the timer", async () => {
    const receiver = await aReceiver();
    const id = await aChannel(receiver.url);
    aWorker({ pollIntervalMs: 3_600_000 });
    // Until the worker listens, nothing tells it.
    await until(async () => {
      await report([id]);
      return receiver.received.length > 0;
    });
    await until(async () => (await pending()) === 0);
    const before = receiver.received.length;
    await report([id]);
    await receiver.count(before + 1);
  });

  it("of two replicas deliver each notification once", async () => {
    const receiver = await aReceiver();
    const ids = [await aChannel(receiver.url), await aChannel(receiver.url), await aChannel(receiver.url)];
    for (let i = 0; i < 20; i++) await report(ids);
    const delivered: Delivered[] = [];
    const onDelivered = async (_trx: unknown, some: readonly Delivered[]) => void delivered.push(...some);
    aWorker({ onDelivered });
    aWorker({ onDelivered });
    for (let i = 0; i < 20; i++) await report(ids);
    await until(async () => (await pending()) === 0);
    expect(receiver.received).toHaveLength(120);
    expect(new Set(receiver.received.map(({ body }) => body.notificationId)).size).toBe(120);
    expect(delivered).toHaveLength(120);
    expect(await deliveriesOf(ids[0] as string)).toHaveLength(40);
  });

  it("notify of one instance in order, whoever sends, and whatever fails in between", async () => {
    const failedOnce = new Set<string>();
    const receiver = await aReceiver(({ body }) => {
      const isFirst = !failedOnce.has(body.notificationId);
      failedOnce.add(body.notificationId);
      return { status: isFirst && body.eventType === "alert.triggered" ? 503 : 200 };
    });
    const id = await aChannel(receiver.url);
    const instances = Array.from({ length: 8 }, () => newId("alertInstance"));
    for (const kind of ["triggered", "acknowledged", "recovered"] as const)
      for (const instance of instances) await report([id], instance, kind);
    aWorker({ pollIntervalMs: 50 });
    aWorker({ pollIntervalMs: 50 });
    await until(async () => {
      await hurry();
      return (await pending()) === 0;
    });
    for (const instance of instances) {
      const told = receiver.received.filter(({ body }) => body.alert.id === instance);
      const last = told.slice(-3).map(({ body }) => body.eventType);
      expect(last).toEqual(["alert.triggered", "alert.acknowledged", "alert.recovered"]);
    }
  });

  it("an endpoint that hangs delays no other channel, and gets no more than two requests at a time", async () => {
    const hanging = await aReceiver(() => "hang");
    const healthy = await aReceiver();
    const stuck = await aChannel(hanging.url);
    const fine = await aChannel(healthy.url);
    for (let i = 0; i < 30; i++) await report([stuck]);
    const worker = aWorker();
    await hanging.count(2);
    for (let i = 0; i < 30; i++) await report([stuck, fine]);
    await healthy.count(30);
    expect(hanging.received).toHaveLength(2);
    expect(hanging.open).toBe(2);
    await worker.close();
  }, 20_000);

  it("an endpoint that answers quickly is sent more at once, until it no longer does", async () => {
    const receiver = await aReceiver((_request, nth) => (nth < 20 ? { status: 200 } : "hang"));
    const channel = await aChannel(receiver.url);
    for (let i = 0; i < 80; i++) await report([channel]);
    const worker = aWorker({ quickMs: 60_000 });
    await until(() => receiver.open === 8);
    expect(receiver.received).toHaveLength(28);
    await worker.close();
  }, 20_000);

  it("notifications that a lost worker held are delivered when its lease ends", async () => {
    const receiver = await aReceiver();
    const id = await aChannel(receiver.url);
    await report([id]);
    const { knex } = test.services;
    const taken = { leasedBy: "lost", attempts: 1 };
    await knex("notifications").update({
      ...taken,
      dueAt: knex.raw("clock_timestamp() + interval '1 hour'"),
    });
    aWorker({ pollIntervalMs: 20 });
    await report([id]);
    await receiver.count(1);
    await until(async () => (await pending()) === 1);
    await endLeases();
    await receiver.count(2);
    await until(async () => (await pending()) === 0);
    expect((await deliveriesOf(id)).map((delivery: { attempt: number }) => delivery.attempt)).toEqual([2, 1]);
  });

  it("release the notifications that they have not begun when they are closed", async () => {
    const hanging = await aReceiver(() => "hang");
    const id = await aChannel(hanging.url);
    for (let i = 0; i < 16; i++) await report([id]);
    const worker = aWorker({ attemptTimeoutMs: 1_000 });
    await hanging.count(2);
    await worker.close();
    const rows = await test.services.knex("notifications").where({ attempts: 0, leasedBy: null });
    expect(rows.length).toBeGreaterThanOrEqual(4);
  }, 20_000);
});

describe("a failed attempt", () => {
  async function outcomeOf(
    answer: (request: Received, nth: number) => { status: number; headers?: Record<string, string> } | "hang",
  ) {
    const receiver = await aReceiver(answer);
    const id = await aChannel(receiver.url);
    await report([id]);
    const worker = aWorker({ attemptTimeoutMs: 500, random: () => 0.5 });
    await until(async () => (await deliveriesOf(id)).length > 0);
    await worker.close();
    const [delivery] = await deliveriesOf(id);
    const row = await test.services.knex("notifications").first();
    return { delivery, row, id, receiver };
  }
  const delayOf = (delivery: { nextAttemptAt: string; createdAt: string }) =>
    (Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.createdAt)) / 1000;

  it("is recorded and tried again later", async () => {
    const { delivery, row } = await outcomeOf(() => ({ status: 503 }));
    expect(delivery).toMatchObject({
      status: "failed",
      httpStatus: 503,
      error: "the endpoint answered 503",
      attempt: 1,
      eventType: "triggered",
      isTest: false,
    });
    expect(delayOf(delivery)).toBeCloseTo(2, 0);
    expect(row.status).toBe("pending");
  });

  it("is repeated no earlier than the other side asks for", async () => {
    const { delivery } = await outcomeOf(() => ({ status: 429, headers: { "retry-after": "120" } }));
    expect(delayOf(delivery)).toBeCloseTo(120, 0);
  });

  it.each([400, 401, 404, 410])("is the last one when the answer is %i", async (status) => {
    const { delivery, row } = await outcomeOf(() => ({ status }));
    expect(delivery).toMatchObject({ status: "failed", httpStatus: status, nextAttemptAt: null });
    expect(row.status).toBe("failed");
  });

  it("ends by its time limit when nothing is answered", async () => {
    const { delivery, row } = await outcomeOf(() => "hang");
    expect(delivery).toMatchObject({ status: "failed", httpStatus: null, error: "no answer within 0.5 s" });
    expect(row.status).toBe("pending");
  });

  it("is followed by one that succeeds, under the same id, and that counts once", async () => {
    const delivered: Delivered[] = [];
    const receiver = await aReceiver((_request, nth) => ({ status: nth === 0 ? 500 : 200 }));
    const id = await aChannel(receiver.url);
    const instance = newId("alertInstance");
    await report([id], instance);
    aWorker({ pollIntervalMs: 50, onDelivered: async (_trx, some) => void delivered.push(...some) });
    await until(async () => {
      await hurry();
      return (await pending()) === 0;
    });
    const ids = receiver.received.map(({ headers }) => headers["svc-notification-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(delivered).toEqual([
      {
        instanceId: instance,
        kind: "triggered",
        channelId: id,
        channelName: expect.any(String),
        channelType: "webhook",
      },
    ]);
    expect((await deliveriesOf(id)).map((delivery: { status: string }) => delivery.status)).toEqual([
      "delivered",
      "failed",
    ]);
  });

  it("is not repeated after an hour, and a notification that waited so long is given up", async () => {
    const { row, id } = await outcomeOf(() => ({ status: 503 }));
    const { knex } = test.services;
    await knex("notifications")
      .where({ key: row.key })
      .update({ createdAt: knex.raw("clock_timestamp() - interval '61 minutes'") });
    expect(await expireNotifications(knex)).toBe(0);
    await hurry();
    expect(await expireNotifications(knex)).toBe(1);
    const [last] = await deliveriesOf(id);
    expect(last).toMatchObject({ status: "failed", error: "not delivered within an hour; given up" });
    expect(await pending()).toBe(0);
  });
});

describe("an attempt by hand", () => {
  it("repeats a failed delivery, which then counts as delivered", async () => {
    const receiver = await aReceiver((_request, nth) => ({ status: nth === 0 ? 404 : 200 }));
    const id = await aChannel(receiver.url);
    await report([id]);
    const worker = aWorker();
    await until(async () => (await pending()) === 0);
    await worker.close();
    const [failed] = await deliveriesOf(id);
    const { status, body } = await test.call("POST", `${PATH}/${id}/deliveries/${failed.id}/redeliver`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      delivery: { status: "delivered", attempt: 2, notificationId: failed.notificationId, httpStatus: 200 },
    });
    expect((await test.services.knex("notifications").first()).status).toBe("delivered");
  });

  it("is a conflict while a worker holds the notification", async () => {
    const receiver = await aReceiver(() => ({ status: 503 }));
    const id = await aChannel(receiver.url);
    await report([id]);
    const worker = aWorker();
    await until(async () => (await deliveriesOf(id)).length > 0);
    await worker.close();
    const { knex } = test.services;
    await knex("notifications").update({
      leasedBy: "a worker",
      dueAt: knex.raw("clock_timestamp() + interval '1 hour'"),
    });
    const [delivery] = await deliveriesOf(id);
    expect((await test.call("POST", `${PATH}/${id}/deliveries/${delivery.id}/redeliver`)).status).toBe(409);
  });

  it("a test is sent at once and recorded as such; the next one has to wait a minute", async () => {
    const receiver = await aReceiver();
    const id = await aChannel(receiver.url);
    const first = await test.call("POST", `${PATH}/${id}/test`, { eventType: "recovered" });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      success: true,
      delivery: { isTest: true, eventType: "recovered", attempt: 1 },
    });
    expect(receiver.received[0]?.body).toMatchObject({ isTest: true, eventType: "alert.recovered" });
    test.clock.advance(59_000);
    const second = await test.call("POST", `${PATH}/${id}/test`);
    expect([second.status, second.headers["retry-after"]]).toEqual([429, "1"]);
    test.clock.advance(1_000);
    expect((await test.call("POST", `${PATH}/${id}/test`)).status).toBe(200);
    expect(receiver.received).toHaveLength(2);
  });

  it("of concurrent tests one is sent", async () => {
    const receiver = await aReceiver();
    const id = await aChannel(receiver.url);
    const answers = await Promise.all([1, 2, 3].map(() => test.call("POST", `${PATH}/${id}/test`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429, 429]);
    expect(receiver.received).toHaveLength(1);
  });

  it("a test that fails says why and is not repeated", async () => {
    const receiver = await aReceiver(() => ({ status: 503, body: "down" }));
    const id = await aChannel(receiver.url);
    const { status, body } = await test.call("POST", `${PATH}/${id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: false,
      delivery: { status: "failed", error: "the endpoint answered 503: down", nextAttemptAt: null },
    });
    expect(await pending()).toBe(0);
  });

  it("email without a mail server fails with a clear message", async () => {
    const channel = { type: "email", addresses: ["ada@example.org"] };
    const { id } = (await test.call("POST", PATH, { name: "mail", channel })).body.channel;
    const { body } = await test.call("POST", `${PATH}/${id}/test`);
    expect(body).toMatchObject({
      success: false,
      delivery: { error: "email is not set up: the operator has to set SVC_SMTP_URL and SVC_SMTP_FROM" },
    });
  });

  it("another team sees and sends nothing", async () => {
    const id = await aChannel("http://127.0.0.1:9/");
    const other = await test.createTeam();
    for (const [method, path] of [
      ["GET", "deliveries"],
      ["POST", "test"],
      ["POST", `deliveries/${newId("delivery")}/redeliver`],
    ] as const)
      expect((await test.call(method, `${PATH}/${id}/${path}`, undefined, other.byKey)).status).toBe(404);
    const unknown = await test.call("POST", `${PATH}/${id}/deliveries/dlv_x/redeliver`);
    expect([unknown.status, unknown.body]).toEqual([404, { error: "Delivery not found" }]);
  });
});

it("later notifications about an incident change the ticket that the first one made", async () => {
  const receiver = await aReceiver(({ method }) => ({
    status: 200,
    body: JSON.stringify({ result: method === "GET" ? [] : { sys_id: "abc" } }),
  }));
  const channel = { type: "ticketing", instanceUrl: receiver.url, username: "u", password: "p" };
  const { id } = (await test.call("POST", PATH, { name: "tickets", channel })).body.channel;
  const { key: channelKey } = await test.services.knex("notificationChannels").where({ id }).first("key");
  const subjectId = newId("alertInstance");
  aWorker();
  for (const kind of ["triggered", "recovered"] as const)
    await enqueue(test.services.knex, [
      { teamId: test.team.teamId, channelKeys: [channelKey], kind, subjectId, payload: aPayload() },
    ]);
  await until(async () => (await pending()) === 0);
  expect(receiver.received.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
    "GET /api/now/table/incident",
    "POST /api/now/table/incident",
    "PATCH /api/now/table/incident/abc",
  ]);
});

it("a deleted channel takes its waiting notifications along", async () => {
  const id = await aChannel("http://127.0.0.1:9/");
  await report([id]);
  expect((await test.call("DELETE", `${PATH}/${id}`)).status).toBe(200);
  expect(await pending()).toBe(0);
});

it("old notifications are deleted once they have ended; waiting ones are not", async () => {
  const receiver = await aReceiver();
  const id = await aChannel(receiver.url);
  await report([id]);
  const worker = aWorker();
  await until(async () => (await pending()) === 0);
  await worker.close();
  await report([id]);
  expect(await purgeNotifications(test.services.knex, new Date(Date.now() - 86_400_000), 10)).toBe(0);
  expect(await purgeNotifications(test.services.knex, new Date(Date.now() + 86_400_000), 10)).toBe(1);
  expect(await pending()).toBe(1);
});
