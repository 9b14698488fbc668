import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aReceiver } from "../../../test-support/receivers.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("an attempt by hand", () => {
  it("repeats a failed delivery, which then counts as delivered", async () => {
    const receiver = await aReceiver((_request, nth) => ({ status: nth === 0 ? 404 : 200 }));
    const id = await test.aChannel(receiver.url);
    await test.report([id]);
    const worker = test.aWorker();
    await until(async () => (await test.pending()) === 0);
    await worker.close();
    const [failed] = await test.deliveriesOf(id);
    const { status, body } = await test.call(
      "POST",
      `${CHANNELS_PATH}/${id}/deliveries/${failed.id}/redeliver`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      delivery: { status: "delivered", attempt: 2, notificationId: failed.notificationId, httpStatus: 200 },
    });
    expect((await test.services.knex("notifications").first()).status).toBe("delivered");
    expect(await test.deliveriesOf(id)).toMatchObject([
      { status: "delivered", attempt: 2, notificationStatus: "delivered" },
      { status: "failed", attempt: 1, notificationStatus: "delivered", nextAttemptAt: null },
    ]);
  });

  it("ends the wait of an attempt that was to be repeated", async () => {
    const receiver = await aReceiver((_request, nth) => ({ status: nth === 0 ? 503 : 200 }));
    const id = await test.aChannel(receiver.url);
    await test.report([id]);
    const worker = test.aWorker();
    await until(async () => (await test.deliveriesOf(id)).length > 0);
    await worker.close();
    const [failed] = await test.deliveriesOf(id);
    expect(failed).toMatchObject({ notificationStatus: "pending", nextAttemptAt: expect.any(String) });
    const path = `${CHANNELS_PATH}/${id}/deliveries/${failed.id}/redeliver`;
    expect((await test.call("POST", path)).body.delivery.notificationStatus).toBe("delivered");
    const [, first] = await test.deliveriesOf(id);
    expect(first).toMatchObject({ status: "failed", notificationStatus: "delivered", nextAttemptAt: null });
  });

  it("is refused after fifty attempts at the notification, and nothing is sent", async () => {
    let requests = 0;
    const receiver = await aReceiver(() => {
      requests++;
      return { status: 404 };
    });
    const id = await test.aChannel(receiver.url);
    await test.report([id]);
    const worker = test.aWorker();
    await until(async () => (await test.pending()) === 0);
    await worker.close();
    const [failed] = await test.deliveriesOf(id);
    await test.services.knex("notifications").update({ attempts: 49 });
    const path = `${CHANNELS_PATH}/${id}/deliveries/${failed.id}/redeliver`;
    expect((await test.call("POST", path)).status).toBe(200);
    expect(requests).toBe(2);
    const { status, body } = await test.call("POST", path);
    expect([status, body.error]).toEqual([403, expect.stringContaining("attempted 50 times")]);
    expect(requests).toBe(2);
  });

  it("is a conflict while a worker holds the notification", async () => {
    const receiver = await aReceiver(() => ({ status: 503 }));
    const id = await test.aChannel(receiver.url);
    await test.report([id]);
    const worker = test.aWorker();
    await until(async () => (await test.deliveriesOf(id)).length > 0);
    await worker.close();
    const { knex } = test.services;
    await knex("notifications").update({
      leasedBy: "a worker",
      dueAt: knex.raw("clock_timestamp() + interval '1 hour'"),
    });
    const [delivery] = await test.deliveriesOf(id);
    expect(
      (await test.call("POST", `${CHANNELS_PATH}/${id}/deliveries/${delivery.id}/redeliver`)).status,
    ).toBe(409);
  });

  it("a test is sent at once and recorded as such; the next one has to wait a minute", async () => {
    const receiver = await aReceiver();
    const id = await test.aChannel(receiver.url);
    const first = await test.call("POST", `${CHANNELS_PATH}/${id}/test`, { eventType: "recovered" });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      success: true,
      delivery: { isTest: true, eventType: "recovered", attempt: 1 },
    });
    expect(receiver.received[0]?.body).toMatchObject({ isTest: true, eventType: "alert.recovered" });
    test.clock.advance(59_000);
    const second = await test.call("POST", `${CHANNELS_PATH}/${id}/test`);
    expect([second.status, second.headers["retry-after"]]).toEqual([429, "1"]);
    test.clock.advance(1_000);
    expect((await test.call("POST", `${CHANNELS_PATH}/${id}/test`)).status).toBe(200);
    expect(receiver.received).toHaveLength(2);
  });

  it("of concurrent tests one is sent", async () => {
    const receiver = await aReceiver();
    const id = await test.aChannel(receiver.url);
    const answers = await Promise.all([1, 2, 3].map(() => test.call("POST", `${CHANNELS_PATH}/${id}/test`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429, 429]);
    expect(receiver.received).toHaveLength(1);
  });

  it("a test that fails says why and is not repeated", async () => {
    const receiver = await aReceiver(() => ({ status: 503, body: "down" }));
    const id = await test.aChannel(receiver.url);
    const { status, body } = await test.call("POST", `${CHANNELS_PATH}/${id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: false,
      delivery: { status: "failed", error: "the endpoint answered 503: down", nextAttemptAt: null },
    });
    expect(await test.pending()).toBe(0);
  });

  it("email without a mail server fails with a clear message", async () => {
    const channel = { type: "email", addresses: ["ada@example.org"] };
    const { id } = (await test.call("POST", CHANNELS_PATH, { name: "mail", channel })).body.channel;
    const { body } = await test.call("POST", `${CHANNELS_PATH}/${id}/test`);
    expect(body).toMatchObject({
      success: false,
      delivery: { error: "email is not set up: the operator has to set SVC_SMTP_URL and SVC_SMTP_FROM" },
    });
  });

  it("another team sees and sends nothing", async () => {
    const id = await test.aChannel("http://127.0.0.1:9/");
    const other = await test.createTeam();
    for (const [method, path] of [
      ["GET", "deliveries"],
      ["POST", "test"],
      ["POST", `deliveries/${newId("delivery")}/redeliver`],
    ] as const)
      expect((await test.call(method, `${CHANNELS_PATH}/${id}/${path}`, undefined, other.byKey)).status).toBe(
        404,
      );
    const unknown = await test.call("POST", `${CHANNELS_PATH}/${id}/deliveries/dlv_x/redeliver`);
    expect([unknown.status, unknown.body]).toEqual([404, { error: "Delivery not found" }]);
  });
});
