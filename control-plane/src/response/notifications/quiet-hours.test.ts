import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import { CHANNELS_PATH, until } from "../../../test-support/notification-test.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { createDeliveryTools } from "./delivery-tools.ts";
import { expireNotifications } from "./queue-store.ts";
import { registerNotificationRoutes } from "./routes.ts";
import { NotificationWorker } from "./worker.ts";

/** Instants that the database's clock has not reached, by which rows are due. In Berlin 12:00, 23:30 and 07:00. */
const NOON = Date.UTC(2199, 0, 10, 11);
const NIGHT = Date.UTC(2199, 0, 10, 22, 30);
const MORNING = Date.UTC(2199, 0, 11, 6);
const QUIET = { from: "22:00", to: "07:00", timezone: "Europe/Berlin" };

let test: IncidentTest;
let nowMs = NIGHT;
const toolsOf = (owner: string) =>
  createDeliveryTools(
    {
      ...test.services,
      config: { ...test.services.config, egressPrivate: "allow" },
      clock: { nowMs: () => nowMs },
    },
    { owner },
  );
beforeAll(async () => {
  test = await createIncidentTest({
    register: (app, services) => {
      registerChannelRoutes(app, services);
      const config = { ...services.config, egressPrivate: "allow" as const };
      registerNotificationRoutes(app, services, createDeliveryTools({ ...services, config }));
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("notifications").delete();
  await test.beginAnew();
  nowMs = NIGHT;
});

/** Starts a replica's worker; the function returned ends it. */
function aReplica(owner: string): () => Promise<void> {
  const worker = new NotificationWorker({
    tools: toolsOf(owner),
    log: test.services.log,
    pollIntervalMs: 30,
  });
  worker.start();
  const close = () => worker.close();
  onTestFinished(close);
  return close;
}

/** Gives the chat channel an address and quiet hours. */
async function quietChat(quietHours: object | undefined = QUIET) {
  const receiver = await aReceiver();
  const { chat } = test.channels;
  const channel = { type: "chat", webhookUrl: receiver.url, ...(quietHours && { quietHours }) };
  const set = async (more: object) =>
    expect(
      (await test.call("PUT", `${CHANNELS_PATH}/${chat}`, { channel: { ...channel, ...more } })).status,
    ).toBe(200);
  const { knex, secrets } = test.services;
  const config = secrets.seal(JSON.stringify(channel), chat);
  await knex("notificationChannels").where({ id: chat }).update({ config });
  // The other channels have no address.
  const others = () =>
    knex("notifications")
      .whereNotIn("channelKey", knex("notificationChannels").where({ id: chat }).select("key"))
      .delete();
  const deliveries = async () =>
    (await test.call("GET", `${CHANNELS_PATH}/${chat}/deliveries`)).body.deliveries;
  const titles = () => receiver.received.map(({ body }) => String(body.text));
  return { receiver, set, others, deliveries, titles };
}

/** Opens an incident, and returns its id. */
async function anIncident(): Promise<string> {
  const check = await test.watched("https://a.example/");
  await test.fail(check);
  await test.process();
  return (await test.incidents())[0].id;
}

const held = () =>
  test.services.knex("notifications").where({ status: "pending", leasedBy: null }).whereNotNull("heldUntil");

/** Lets the end of quiet hours come, for the service's clock and the database's. */
async function letMorningCome(): Promise<void> {
  nowMs = MORNING;
  const past = new Date(Date.now() - 1_000);
  await held().update({ dueAt: past, heldUntil: past });
}

const settled = () =>
  until(async () => (await test.services.knex("notifications").where({ status: "pending" })).length === 0);

describe("a notification in quiet hours", () => {
  it("is held by whichever replica looks, and sent once at the end, in order, by another", async () => {
    const { receiver, others, deliveries, titles } = await quietChat();
    const id = await anIncident();
    await test.act(id, "notes", { body: "looking into it" });
    await others();
    const closes = [aReplica("first"), aReplica("second")];
    await until(async () => (await held()).length === 2);
    await Promise.all(closes.map((close) => close()));
    expect(receiver.received).toEqual([]);
    const log = await deliveries();
    expect(log).toHaveLength(2);
    expect(log[1]).toMatchObject({
      eventType: "opened",
      status: "held",
      notificationStatus: "pending",
      attempt: 0,
      error: "held by the channel's quiet hours until 07:00 Europe/Berlin",
      nextAttemptAt: new Date(MORNING).toISOString(),
    });
    await test.services.knex("notifications").update({ createdAt: new Date(Date.now() - 9 * 3_600_000) });
    await letMorningCome();
    expect(await expireNotifications(test.services.knex)).toBe(0);
    aReplica("third");
    aReplica("fourth");
    await settled();
    expect(titles()).toEqual([expect.stringContaining("opened"), expect.stringContaining("note added")]);
    expect((await deliveries()).slice(0, 2)).toMatchObject([
      { status: "delivered", attempt: 1 },
      { status: "delivered", attempt: 1 },
    ]);
  });

  it("is not sent when its incident is over by then, and neither is the end", async () => {
    const { receiver, others, deliveries } = await quietChat();
    const id = await anIncident();
    await others();
    aReplica("one");
    await until(async () => (await held()).length === 1);
    expect((await test.act(id, "close")).status).toBe(200);
    await others();
    await until(async () => (await held()).length === 2);
    await letMorningCome();
    await settled();
    expect(receiver.received).toEqual([]);
    expect((await deliveries()).slice(0, 2)).toMatchObject([
      { status: "skipped_over", eventType: "closed", notificationStatus: "skipped", nextAttemptAt: null },
      { status: "skipped_over", eventType: "opened", notificationStatus: "skipped" },
    ]);
  });

  it("is sent when it ends something that the channel was notified of before", async () => {
    nowMs = NOON;
    const { others, titles, receiver } = await quietChat();
    const id = await anIncident();
    await others();
    aReplica("one");
    await receiver.count(1);
    await settled();
    nowMs = NIGHT;
    await test.act(id, "notes", { body: "n" });
    await test.act(id, "close");
    await others();
    await until(async () => (await held()).length === 2);
    await letMorningCome();
    await settled();
    expect(titles()).toEqual([expect.stringContaining("opened"), expect.stringContaining("closed")]);
  });

  it("of an incident that was closed and reopened meanwhile is sent", async () => {
    const { others, titles } = await quietChat();
    const id = await anIncident();
    for (const action of ["close", "reopen"]) await test.act(id, action);
    await others();
    aReplica("one");
    await until(async () => (await held()).length === 3);
    await letMorningCome();
    await settled();
    expect(titles()).toHaveLength(3);
  });

  it("that is critical is sent at once where the channel says so", async () => {
    const { others, receiver, deliveries } = await quietChat({ ...QUIET, exceptCritical: true });
    await anIncident();
    await others();
    aReplica("one");
    await receiver.count(1);
    await settled();
    expect((await deliveries()).map(({ status }: { status: string }) => status)).toEqual(["delivered"]);
  });

  it("is released when the channel's quiet hours end by hand, and held anew when they change", async () => {
    const { others, receiver, set, deliveries } = await quietChat();
    await anIncident();
    await others();
    aReplica("one");
    await until(async () => (await held()).length === 1);
    await set({ quietHours: { ...QUIET, to: "08:00" } });
    await until(async () => (await deliveries()).length === 2);
    expect((await deliveries())[0]).toMatchObject({
      status: "held",
      nextAttemptAt: "2199-01-11T07:00:00.000Z",
    });
    await set({ quietHours: undefined });
    await receiver.count(1);
    await settled();
  });
});

it("quiet hours hold no test and no delivery by hand", async () => {
  const { receiver, others, deliveries } = await quietChat();
  await anIncident();
  await others();
  aReplica("one");
  await until(async () => (await held()).length === 1);
  const path = `${CHANNELS_PATH}/${test.channels.chat}`;
  expect((await test.call("POST", `${path}/test`, {})).body.success).toBe(true);
  const [{ id: deliveryId }] = (await deliveries()).filter(
    ({ status }: { status: string }) => status === "held",
  );
  expect((await test.call("POST", `${path}/deliveries/${deliveryId}/redeliver`)).body.success).toBe(true);
  expect(receiver.received).toHaveLength(2);
});

it("channels that reach no people refuse quiet hours with the reason", async () => {
  const given: [object, string][] = [
    [{ type: "webhook", url: "http://a.example" }, "a program gets each event as it happens"],
    [{ type: "paging", routingKey: "k" }, "by the schedule of the pager service"],
    [
      { type: "ticketing", instanceUrl: "https://a.example", username: "u", password: "p" },
      "a ticket wakes nobody",
    ],
  ];
  for (const [channel, reason] of given) {
    const answer = await test.call("POST", CHANNELS_PATH, {
      name: "n",
      channel: { ...channel, quietHours: QUIET },
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(reason);
  }
});
