import { type ChannelId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aPayload } from "../../../test-support/notifications.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { claimNotifications, expireNotifications, purgeNotifications } from "./queue-store.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("the outbox", () => {
  it("teams are claimed in turns: one with many older notifications leaves others theirs", async () => {
    const greedy = test.team;
    const greedyChannels: ChannelId[] = [];
    for (let n = 0; n < 4; n++) greedyChannels.push(await test.aChannel(`http://127.0.0.1:9/${n}`));
    for (let n = 0; n < 5; n++) await test.report(greedyChannels);
    test.team = await test.createTeam();
    await test.report([await test.aChannel("http://127.0.0.1:9/modest")]);
    const options = { owner: "test", leaseMs: 60_000, limit: 4, perChannel: 5, space: new Map() };
    const claimed = await claimNotifications(test.services.knex, options);
    expect(claimed.map(({ teamId }) => teamId).sort()).toEqual(
      [greedy.teamId, greedy.teamId, greedy.teamId, test.team.teamId].sort(),
    );
  });

  it("no more of a channel are claimed than there is space for, and none of a channel without space", async () => {
    const { knex } = test.services;
    const channels: ChannelId[] = [];
    for (let n = 0; n < 4; n++) channels.push(await test.aChannel(`http://127.0.0.1:9/${n}`));
    for (let n = 0; n < 5; n++) await test.report(channels);
    const keys: number[] = [];
    for (const id of channels) keys.push((await knex("notificationChannels").where({ id }).first("key")).key);
    const [one, none, less] = keys as [number, number, number, number];
    const space = new Map([
      [one, 1],
      [none, 0],
      [less, -2],
    ]);
    const claimed = await claimNotifications(knex, {
      owner: "test",
      leaseMs: 60_000,
      limit: 100,
      perChannel: 3,
      space,
    });
    expect(keys.map((key) => claimed.filter(({ channelKey }) => channelKey === key).length)).toEqual([
      1, 0, 0, 3,
    ]);
  });

  it("teams are given up in turns: one with many late notifications leaves others theirs", async () => {
    const { knex } = test.services;
    const greedy = test.team;
    const greedyChannels: ChannelId[] = [];
    for (let n = 0; n < 4; n++) greedyChannels.push(await test.aChannel(`http://127.0.0.1:9/${n}`));
    for (let n = 0; n < 5; n++) await test.report(greedyChannels);
    test.team = await test.createTeam();
    await test.report([await test.aChannel("http://127.0.0.1:9/modest")]);
    const late = { createdAt: knex.raw("clock_timestamp() - interval '61 minutes'") };
    await knex("notifications").update(late);
    await test.report([await test.aChannel("http://127.0.0.1:9/in-time")]);
    const failedOf = async () => {
      const rows: { teamId: string }[] = await knex("notifications").where({ status: "failed" });
      return [greedy, test.team].map(({ teamId }) => rows.filter((row) => row.teamId === teamId).length);
    };
    expect(await expireNotifications(knex, 4)).toBe(4);
    expect(await failedOf()).toEqual([3, 1]);
    while ((await expireNotifications(knex, 4)) > 0);
    expect(await failedOf()).toEqual([20, 1]);
    expect(await test.pending()).toBe(1);
  });

  it("a report goes to each channel of the team once", async () => {
    const channels = [
      await test.aChannel("http://127.0.0.1:9/a"),
      await test.aChannel("http://127.0.0.1:9/b"),
    ];
    const own = test.team;
    test.team = await test.createTeam();
    const foreign = await test.aChannel("http://127.0.0.1:9/c");
    const items = [1, 2, 3].map(() => ({
      teamId: own.teamId,
      channelIds: [...channels, ...channels, foreign, newId("channel"), "nonsense" as ChannelId],
      kind: "triggered" as const,
      instanceId: newId("alertInstance"),
      payload: aPayload(),
    }));
    expect(await reportAlerts(test.services.knex, items)).toBe(6);
    expect(await test.pending()).toBe(6);
    expect(await reportAlerts(test.services.knex, [])).toBe(0);
  });

  it("a notification of a transaction that is rolled back is not sent", async () => {
    const receiver = await aReceiver();
    const id = await test.aChannel(receiver.url);
    test.aWorker();
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
    await test.report([id]);
    await until(async () => (await test.pending()) === 0);
    expect(receiver.received).toHaveLength(1);
  });
});

it("a deleted channel takes its waiting notifications along", async () => {
  const id = await test.aChannel("http://127.0.0.1:9/");
  await test.report([id]);
  expect((await test.call("DELETE", `${CHANNELS_PATH}/${id}`)).status).toBe(200);
  expect(await test.pending()).toBe(0);
});

it("old notifications are deleted once they have ended; waiting ones are not", async () => {
  const receiver = await aReceiver();
  const id = await test.aChannel(receiver.url);
  await test.report([id]);
  const worker = test.aWorker();
  await until(async () => (await test.pending()) === 0);
  await worker.close();
  await test.report([id]);
  expect(await purgeNotifications(test.services.knex, new Date(Date.now() - 86_400_000), 10)).toBe(0);
  expect(await purgeNotifications(test.services.knex, new Date(Date.now() + 86_400_000), 10)).toBe(1);
  expect(await test.pending()).toBe(1);
});
