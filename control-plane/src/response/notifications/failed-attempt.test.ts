import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aReceiver, type Received } from "../../../test-support/receivers.ts";
import type { Delivered } from "./delivery-tools.ts";
import { expireNotifications } from "./queue-store.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("a failed attempt", () => {
  async function outcomeOf(
    answer: (request: Received, nth: number) => { status: number; headers?: Record<string, string> } | "hang",
    lostMs = () => 0,
  ) {
    const receiver = await aReceiver(answer);
    const id = await test.aChannel(receiver.url);
    await test.report([id]);
    const worker = test.aWorker({ attemptTimeoutMs: 500, random: () => 0.5, lostMs });
    await until(async () => (await test.deliveriesOf(id)).length > 0);
    await worker.close();
    const [delivery] = await test.deliveriesOf(id);
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

  it("is repeated at once when its time limit ran out because this process was late", async () => {
    const { delivery, row } = await outcomeOf(
      () => "hang",
      () => performance.now() * 0.9,
    );
    expect(delivery).toMatchObject({
      status: "failed",
      error: "no answer within 0.5 s; this service was late itself",
    });
    expect(delivery.durationMs).toBeGreaterThanOrEqual(990);
    expect(delayOf(delivery)).toBeCloseTo(0, 0);
    expect(row.status).toBe("pending");
  });

  it("is followed by one that succeeds, under the same id, and that counts once", async () => {
    const delivered: Delivered[] = [];
    const receiver = await aReceiver((_request, nth) => ({ status: nth === 0 ? 500 : 200 }));
    const id = await test.aChannel(receiver.url);
    const instance = newId("alertInstance");
    await test.report([id], instance);
    test.aWorker({ pollIntervalMs: 50, onDelivered: async (_trx, some) => void delivered.push(...some) });
    await until(async () => {
      await test.hurry();
      return (await test.pending()) === 0;
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
    expect((await test.deliveriesOf(id)).map((delivery: { status: string }) => delivery.status)).toEqual([
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
    await test.hurry();
    expect(await expireNotifications(knex)).toBe(1);
    const [last] = await test.deliveriesOf(id);
    expect(last).toMatchObject({ status: "failed", error: "not delivered within an hour; given up" });
    expect(await test.pending()).toBe(0);
  });
});
