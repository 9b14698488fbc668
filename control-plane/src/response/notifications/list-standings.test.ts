/** How channels stand: what names them, and how their newest deliveries went. */
import { type ChannelId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createNotificationTest, type NotificationTest } from "../../../test-support/notification-test.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const PATH = "/api/notification-channels/standings";
const listed = async (query = "") => (await test.call("GET", `${PATH}${query}`)).body;
const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 10, minute)).toISOString();

/** Stores attempts at one notification of a channel, a minute apart, the oldest first. */
async function storeAttempts(channelId: ChannelId, statuses: readonly string[]): Promise<void> {
  const { knex } = test.services;
  const { key } = await knex("notificationChannels").where({ id: channelId }).first("key");
  await test.report([channelId]);
  const notification = await knex("notifications").where({ channelKey: key }).orderBy("key", "desc").first();
  for (const [minute, status] of statuses.entries())
    await knex("notificationDeliveries").insert({
      id: newId("delivery"),
      channelKey: key,
      notificationKey: notification.key,
      attempt: minute + 1,
      status,
      httpStatus: status === "failed" ? 500 : 200,
      error: status === "failed" ? "500" : null,
      durationMs: 1,
      createdAt: at(minute),
    });
}

it.each([
  ["no attempt", [], null, null],
  ["a success", ["delivered"], "delivered", null],
  ["a failure", ["failed"], "failed", at(0)],
  ["failures after a success", ["failed", "delivered", "failed", "failed"], "failed", at(2)],
  ["a success after failures", ["failed", "failed", "delivered"], "delivered", null],
  ["a failure before one that was skipped", ["delivered", "failed", "skipped_dedupe"], "failed", at(1)],
] as const)("%s", async (_name, statuses, newest, failingSince) => {
  const channelId = await test.aChannel("http://127.0.0.1:9/");
  await storeAttempts(channelId, statuses);
  const { standings } = await listed();
  expect(standings).toHaveLength(1);
  expect(standings[0]).toMatchObject({
    channelId,
    failingSince,
    ruleCount: 0,
    sloCount: 0,
    locationCount: 0,
  });
  expect(standings[0].lastDelivery?.status ?? null).toBe(newest);
  const looked = statuses.filter((status) => status !== "skipped_dedupe");
  if (newest !== null) expect(standings[0].lastDelivery.at).toBe(at(looked.length - 1));
  if (newest === "failed") expect(standings[0].lastDelivery).toMatchObject({ httpStatus: 500, error: "500" });
});

it("counts what names the channel, is paged, and holds nothing of another team", async () => {
  const { knex } = test.services;
  const first = await test.aChannel("http://127.0.0.1:9/a");
  const second = await test.aChannel("http://127.0.0.1:9/b");
  await knex("locations").insert({
    id: newId("location"),
    teamId: test.team.teamId,
    name: "office",
    displayName: "office",
    region: "private",
    type: "private",
    channelIds: [first],
  });
  const page = await listed("?limit=1");
  const rest = await listed(`?limit=1&cursor=${encodeURIComponent(page.nextCursor)}`);
  expect([page, rest].map(({ standings }) => standings[0].channelId)).toEqual([second, first]);
  expect([page, rest].map(({ standings }) => standings[0].locationCount)).toEqual([0, 1]);
  expect(rest.nextCursor).toBeUndefined();
  const other = await test.createTeam();
  expect((await test.call("GET", PATH, undefined, other.byKey)).body.standings).toEqual([]);
});
