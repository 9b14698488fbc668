import { type Location, MINUTE_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { aCheck } from "../../../test-support/builders.ts";
import {
  CHANNELS_PATH,
  createNotificationTest,
  type NotificationTest,
  until,
} from "../../../test-support/notification-test.ts";
import { aReceiver } from "../../../test-support/receivers.ts";
import { registerLocationRoutes } from "../../checks/locations/routes.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { registerEventRoutes } from "../../telemetry/feed/routes.ts";
import { watchLocations } from "./watch-locations.ts";

let test: NotificationTest;
beforeAll(async () => {
  test = await createNotificationTest((app, services) => {
    registerCheckRoutes(app, services, []);
    registerLocationRoutes(app, services, assertChannelsExist);
    registerEventRoutes(app, services);
  });
  await watchFor(7 * MINUTE_MS);
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

/** Passes of the watch every 10 s, while the given locations' runners send heartbeats. */
async function watchFor(durationMs: number, alive: readonly Location[] = [], replicas = 1): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 10_000) {
    test.clock.advance(10_000);
    const nowMs = test.clock.nowMs();
    for (const { id } of alive) await heartbeat(id, nowMs);
    await Promise.all(Array.from({ length: replicas }, () => watchLocations(test.services.knex, nowMs)));
  }
}

async function heartbeat(id: string, atMs: number): Promise<void> {
  const { knex } = test.services;
  const { key } = await knex("locations").where({ id }).first("key");
  const lastHeartbeatAt = new Date(atMs);
  const updated = await knex("runners").where({ locationKey: key }).update({ lastHeartbeatAt });
  if (updated > 0) return;
  await knex("runners").insert({
    id: newId("runner"),
    runnerUuid: crypto.randomUUID(),
    processUuid: crypto.randomUUID(),
    locationKey: key,
    runnerKeyId: newId("runnerKey"),
    locationKeys: [key],
    hostname: "rack-1",
    version: "1",
    capabilities: ["http"],
    capacityPerSecond: 1,
    replicaId: "a",
    connectedAt: lastHeartbeatAt,
    lastHeartbeatAt,
    leaseUntil: lastHeartbeatAt,
  });
}

async function aLocation(channelIds: string[] = []): Promise<Location> {
  const name = newId("location").slice(-8);
  return (await test.call("POST", "/api/locations", { name, channelIds })).body.location;
}

const eventsOf = async (headers = test.team.byKey) =>
  (await test.call("GET", "/api/events?type=location.health_changed", undefined, headers)).body.events;

/** Changes of health in the team's feed, oldest first. */
const changesOf = async () =>
  (await eventsOf())
    .map(({ attributes }: { attributes: Record<string, string> }) => [
      attributes["synthetics.location.previous_health"],
      attributes["synthetics.location.health"],
    ])
    .reverse();

it("each change is one event in the feed and one record of the export, however many replicas watch", async () => {
  const location = await aLocation();
  await watchFor(2 * MINUTE_MS, [location], 3);
  await watchFor(4 * MINUTE_MS, [], 3);
  expect(await changesOf()).toEqual([
    ["offline", "active"],
    ["active", "degraded"],
    ["degraded", "offline"],
  ]);
  const [newest] = await eventsOf();
  expect(newest).toMatchObject({
    eventType: "location.health_changed",
    severity: "critical",
    checkId: null,
    summary: `${location.name} is offline, it was degraded`,
    resourceAttributes: {
      "synthetics.location.id": location.id,
      "synthetics.location.name": location.name,
    },
    attributes: {
      "synthetics.location.health": "offline",
      "synthetics.location.previous_health": "degraded",
    },
  });
  const records = await test.services.knex("derivedEvents").where({ teamId: test.team.teamId });
  expect(records.filter(({ name }) => name === "synthetics.location.health_changed")).toHaveLength(3);
  const stranger = await test.createTeam();
  expect(await eventsOf(stranger.byKey)).toEqual([]);
  const changes = await test.services.knex("changes").where({ teamId: test.team.teamId });
  expect(changes.map(({ action }) => action)).toEqual(["created"]);
});

it("the location's channels are notified, and get its notifications in their order", async () => {
  const receiver = await aReceiver();
  const channelId = await test.aChannel(receiver.url);
  const location = await aLocation([channelId]);
  const check = aCheck({ locations: [location.id] });
  expect((await test.call("POST", "/api/checks", check)).status).toBe(201);
  await watchFor(2 * MINUTE_MS, [location]);
  await watchFor(4 * MINUTE_MS);
  test.aWorker();
  await receiver.count(3);
  expect(receiver.received.map(({ body }) => (body as { location: Location }).location.health)).toEqual([
    "active",
    "degraded",
    "offline",
  ]);
  expect(receiver.received[2]?.body).toEqual({
    schema_version: 1,
    notificationId: expect.stringMatching(/^ntf_/),
    eventType: "location.health_changed",
    isTest: false,
    teamId: test.team.teamId,
    occurredAt: expect.any(String),
    summary: `${location.displayName} sends no heartbeat: runs of 1 check are missing.`,
    location: {
      id: location.id,
      name: location.name,
      displayName: location.displayName,
      health: "offline",
      previousHealth: "degraded",
      lastHeartbeat: expect.any(String),
      checkCount: 1,
    },
    links: { location: expect.stringContaining(`/locations/${location.id}`) },
  });
  await until(async () => (await test.deliveriesOf(channelId)).length === 3);
  expect((await test.deliveriesOf(channelId))[0]).toMatchObject({
    eventType: "location.health_changed",
    subjectId: location.id,
    status: "delivered",
  });
});

it("nobody is blamed for heartbeats that the service could not get while it was away", async () => {
  const location = await aLocation();
  await watchFor(2 * MINUTE_MS, [location]);
  test.clock.advance(20 * MINUTE_MS);
  await watchFor(MINUTE_MS);
  await watchFor(8 * MINUTE_MS, [location]);
  expect(await changesOf()).toEqual([["offline", "active"]]);
});

it("a location that is watched for the first time, as after an upgrade, is no change", async () => {
  const location = await aLocation();
  await test.services.knex("locationHealth").delete();
  await watchFor(2 * MINUTE_MS, [location]);
  expect(await changesOf()).toEqual([]);
});

it("a deleted location changes no more", async () => {
  const location = await aLocation();
  await watchFor(2 * MINUTE_MS, [location]);
  await test.call("DELETE", `/api/locations/${location.id}`);
  await watchFor(5 * MINUTE_MS);
  expect(await changesOf()).toEqual([["offline", "active"]]);
});

it("a channel of the team only can be named, and can't be deleted while a location names it", async () => {
  const channelId = await test.aChannel("http://127.0.0.1:9/");
  const stranger = await test.createTeam();
  const foreign = await test.call(
    "POST",
    "/api/locations",
    { name: "attic", channelIds: [channelId] },
    stranger.byKey,
  );
  expect([foreign.status, foreign.body.details.fieldErrors]).toEqual([
    400,
    { channelIds: [`no such channel: ${channelId}`] },
  ]);
  const location = await aLocation([channelId]);
  expect(location.channelIds).toEqual([channelId]);
  const remove = () => test.call("DELETE", `${CHANNELS_PATH}/${channelId}`);
  const refused = await remove();
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining(`is used by the location "${location.name}"`),
  ]);
  const put = (channelIds: string[]) => test.call("PUT", `/api/locations/${location.id}`, { channelIds });
  expect((await put([newId("channel")])).status).toBe(400);
  expect((await put([])).body.location.channelIds).toEqual([]);
  expect((await remove()).status).toBe(200);
});

it("a channel can be tried out with the example of a location", async () => {
  const receiver = await aReceiver();
  const id = await test.aChannel(receiver.url);
  const eventType = "location.health_changed";
  const { body } = await test.call("POST", `${CHANNELS_PATH}/${id}/test`, { eventType });
  expect(body).toMatchObject({ success: true, delivery: { eventType, isTest: true } });
  expect(receiver.received[0]?.body).toMatchObject({
    eventType,
    isTest: true,
    location: { health: "offline" },
  });
});
