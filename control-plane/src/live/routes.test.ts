/** The live stream over real connections: what it tells, to whom, and when it ends. */
import type { AddressInfo } from "node:net";
import { type CheckId, liveRoutes } from "@svc/contract";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../test-support/alerting.ts";
import { createTestClock } from "../../test-support/app.ts";
import { type EventStream, openEventStream } from "../../test-support/event-stream.ts";
import { addDisplay } from "../../test-support/people.ts";
import { registerChangeRoutes } from "../accounts/change-log/routes.ts";
import { hashToken } from "../accounts/identity/tokens.ts";
import type { ResultColumns } from "../results/ingest/columns.ts";
import { registerDeploymentRoutes } from "../telemetry/deployment-markers/routes.ts";
import { LiveHubs } from "./live-hubs.ts";
import { registerLiveRoutes } from "./routes.ts";

/** As in the service, but shorter; `wholeIntervalMs` stays, so that no test passes by reading everything. */
const TIMING = {
  mergeMs: 20,
  lookIntervalMs: 50,
  wholeIntervalMs: 60_000,
  pingIntervalMs: 100,
  callersIntervalMs: 200,
  lingerMs: 100,
};

let test: AlertTest;
let live: LiveHubs;
const registry = new Registry();
let url: string;
const streams: EventStream[] = [];

beforeAll(async () => {
  test = await createAlertTest({
    clock: createTestClock(Date.now()),
    register: (app, services) => {
      services.config.liveStreamsPerTeamMax = 25;
      live = new LiveHubs(services, { registry, timing: TIMING });
      registerLiveRoutes(app, live);
      registerDeploymentRoutes(app, services);
      registerChangeRoutes(app, services);
    },
  });
  await test.app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}${liveRoutes.stream.path}`;
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(() => test?.close());

/** Opens a stream of the team and waits for its hello. */
async function open(query = "", headers: Record<string, string> = test.team.byKey): Promise<EventStream> {
  const stream = await openEventStream(url + query, headers);
  streams.push(stream);
  if (stream.status === 200) await stream.next("hello");
  return stream;
}

const nowMs = () => test.clock.nowMs();
const secretOf = ({ cookie }: { cookie: string }) => cookie.split("=")[1] as string;
const isOf = (check: AlertTestCheck) => (data: { states: { checkId: CheckId }[] }) =>
  data.states.some(({ checkId }) => checkId === check.id);

/** Stores a result as this replica's ingest does: the hub learns of it after the commit. */
async function store(check: AlertTestCheck, slotMs: number, status: "success" | "failure"): Promise<void> {
  let columns: ResultColumns | undefined;
  await test.deliver(check, [{ slotMs, status }], async (trx, group, stored) => {
    await test.evaluator.evaluateStored(trx, group, stored);
    columns = group.columns;
  });
  if (columns) live.noteStored(columns, () => true);
}

/** Stores a result as another replica does. */
const storeElsewhere = (check: AlertTestCheck, slotMs: number, status: "success" | "failure") =>
  test.deliver(check, [{ slotMs, status }]);

describe("what a stream tells", () => {
  it("is not to be kept or held back by a proxy", async () => {
    const { headers } = await open();
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(headers["cache-control"]).toBe("no-store, no-transform");
    expect(headers["x-accel-buffering"]).toBe("no");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  it("begins with the service's time, and goes on with pings", async () => {
    const stream = await open();
    expect(stream.events[0]).toMatchObject({
      name: "hello",
      data: { serverTime: new Date(nowMs()).toISOString(), pingIntervalMs: TIMING.pingIntervalMs },
    });
    await stream.next("ping");
  });

  it.each([
    ["this replica", store],
    ["another replica", storeElsewhere],
  ])("a failure that %s stored, and the success after it", async (_who, storeResult) => {
    const check = await test.newCheck();
    const stream = await open();
    const slotMs = nowMs() - 5_000;
    await storeResult(check, slotMs, "failure");
    const { data } = await stream.next("states", isOf(check));
    const [locationId] = data.states[0].failingLocations;
    expect(data.states).toMatchObject([
      {
        checkId: check.id,
        health: "unhealthy",
        failingLocations: [locationId],
        results: [{ status: "failure" }],
      },
    ]);
    await storeResult(check, slotMs + 1_000, "success");
    await stream.next("states", ({ states }) =>
      states.some(({ checkId, health }) => checkId === check.id && health === "healthy"),
    );
  });

  it("every result of the check that is open, and none of another", async () => {
    const [opened, other] = [await test.newCheck(), await test.newCheck()];
    for (const check of [opened, other]) await storeElsewhere(check, nowMs() - 60_000, "success");
    const stream = await open(`?checkId=${opened.id}`);
    await storeElsewhere(opened, nowMs() - 3_000, "success");
    await stream.next(
      "results",
      ({ results }) => results[0]?.slotAt === new Date(nowMs() - 3_000).toISOString(),
    );
    await store(other, nowMs() - 2_000, "success");
    await store(opened, nowMs() - 1_000, "success");
    await stream.next(
      "results",
      ({ results }) => results[0]?.slotAt === new Date(nowMs() - 1_000).toISOString(),
    );
    const checkIds = stream.events.filter(({ name }) => name === "results").map(({ data }) => data.checkId);
    expect(new Set(checkIds)).toEqual(new Set([opened.id]));
  });

  it("an alert with its state, a deployment, and a changed check with the checks that come", async () => {
    const stream = await open();
    const check = await test.newCheck();
    await stream.next(
      "change",
      ({ type, action, resourceId }) => `${type} ${action} ${resourceId}` === `check created ${check.id}`,
    );
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    await storeElsewhere(check, nowMs() - 1_000, "failure");
    const { data } = await stream.next("alert", ({ checkId }) => checkId === check.id);
    expect(data).toMatchObject({ type: "triggered", state: "active" });
    await stream.next("states", isOf(check));
    await test.call("POST", `/api/alerts/instances/${data.alertId}/acknowledge`);
    await stream.next("alert", ({ alertId, state }) => alertId === data.alertId && state === "acknowledged");
    await test.call("POST", "/api/events/deployments", { service: "shop", version: "1.2.3" });
    await stream.next("deployment", ({ service, version }) => service === "shop" && version === "1.2.3");
    // Looks overlap; each record is reported once.
    const alerts = stream.events.filter(({ name }) => name === "alert").map(({ data }) => data.type);
    expect(alerts.filter((type) => type === "triggered")).toHaveLength(1);
  });

  it("only the topics that were asked for", async () => {
    const check = await test.newCheck();
    const stream = await open("?topics=deployment");
    await store(check, nowMs() - 1_000, "failure");
    await test.call("POST", "/api/events/deployments", { service: "shop", version: "2" });
    await stream.next("deployment");
    await stream.next("ping");
    expect(new Set(stream.events.map(({ name }) => name))).toEqual(new Set(["hello", "deployment", "ping"]));
  });

  it("a screen hears of states, alerts and changes, until its link is revoked", async () => {
    const check = await test.newCheck();
    const screen = await addDisplay(test, test.team);
    const stream = await open("", screen);
    await test.call("POST", "/api/events/deployments", { service: "shop", version: "9" });
    await store(check, nowMs() - 1_000, "failure");
    await stream.next("states", isOf(check));
    await stream.next("ping");
    expect(stream.events.map(({ name }) => name)).not.toContain("deployment");
    const other = await addDisplay(test, test.team);
    const going = await open("", other);
    await test.services
      .knex("displayLinks")
      .whereNot({ secretHash: hashToken(secretOf(other)) })
      .delete();
    expect((await stream.next("bye")).data).toEqual({ reason: "credential" });
    expect((await open("", screen)).status).toBe(401);
    await going.next("ping");
    test.clock.advance(25 * 60 * 60 * 1000);
    expect((await going.next("bye")).data).toEqual({ reason: "credential" });
  });

  it("nothing of another team, on one replica and over the database", async () => {
    const foreign = await test.createTeam();
    const stream = await open("", foreign.byKey);
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    const own = await open();
    await store(check, nowMs() - 2_000, "failure");
    await test.call("POST", "/api/events/deployments", { service: "secret-name", version: "3" });
    await own.next("states", isOf(check));
    await own.next("alert", ({ checkId }) => checkId === check.id);
    await own.next("deployment", ({ version }) => version === "3");
    const pings = stream.events.length;
    await vi.waitFor(() => expect(stream.events.length).toBeGreaterThan(pings + 2), { timeout: 60_000 });
    expect(new Set(stream.events.map(({ name }) => name))).toEqual(new Set(["hello", "ping"]));
  });
});

describe("connecting again", () => {
  it("brings what was missed at this replica", async () => {
    const check = await test.newCheck();
    const before = await open();
    const lastId = before.events[0]?.id ?? "";
    before.close();
    const other = await open();
    await store(check, nowMs() - 2_000, "failure");
    await other.next("states", isOf(check));
    const after = await open("", { ...test.team.byKey, "last-event-id": lastId });
    await after.next("states", isOf(check));
    expect(after.events.some(({ name }) => name === "resync")).toBe(false);
  });

  it("is answered by resync where the events are not known", async () => {
    const stream = await open("", { ...test.team.byKey, "last-event-id": "another-replica:7" });
    await stream.next("resync");
  });
});

describe("who may open a stream", () => {
  const refusal = async (query: string, headers?: Record<string, string>) => {
    const { status, body } = await test.call("GET", liveRoutes.stream.path + query, undefined, headers);
    return { status, error: body.error };
  };

  it.each([
    ["?topics=weather", 400],
    ["?checkId=chk_unknown", 404],
    ["?since=1", 400],
  ])("%s is answered %i", async (query, status) => {
    expect((await refusal(query)).status).toBe(status);
  });

  it("another team's check is not found", async () => {
    const check = await test.newCheck();
    const foreign = await test.createTeam();
    expect((await refusal(`?checkId=${check.id}`, foreign.byKey)).status).toBe(404);
  });

  it("a person or key may have 20, a team as many as the operator set", async () => {
    const team = await test.createTeam();
    for (let i = 0; i < 20; i++) await open("", team.byKey);
    expect(await refusal("", team.byKey)).toEqual({
      status: 429,
      error: "A key may have 20 live streams at a time; close another one",
    });
    for (let i = 0; i < 5; i++) await open("", team.bySession);
    expect((await refusal("", team.bySession)).error).toBe(
      "A team may have 25 live streams at a time; close another one",
    );
    // Another team is not concerned, and a closed stream lets another begin.
    await open();
    streams[0]?.close();
    streams[20]?.close();
    await vi.waitFor(async () => {
      const again = await openEventStream(url, team.bySession);
      streams.push(again);
      expect(again.status).toBe(200);
    });
  });

  it("a revoked key, an ended session and a removed member are sent away", async () => {
    const team = await test.createTeam();
    const byKey = await open("", team.byKey);
    const bySession = await open("", team.bySession);
    const { knex } = test.services;
    await knex("apiKeys").where({ id: team.apiKeyId }).delete();
    expect((await byKey.next("bye")).data).toEqual({ reason: "credential" });
    await vi.waitFor(() => expect(byKey.hasEnded()).toBe(true), { timeout: 60_000 });
    expect(bySession.hasEnded()).toBe(false);
    await knex("memberships").where({ teamId: team.teamId, userId: team.userId }).delete();
    await bySession.next("bye");
    const expired = await test.createTeam();
    const stream = await open("", expired.bySession);
    await knex("sessions")
      .where({ userId: expired.userId })
      .update({ expiresAt: new Date(nowMs() - 1) });
    await stream.next("bye");
  });
});

describe("the hub", () => {
  it("ends when nobody watches any more", async () => {
    const hubs = async () => (await registry.getSingleMetric("svc_live_hubs")?.get())?.values[0]?.value;
    await vi.waitFor(async () => expect(await hubs()).toBe(0), { timeout: 60_000 });
    const stream = await open();
    expect(await hubs()).toBe(1);
    stream.close();
    await vi.waitFor(async () => expect(await hubs()).toBe(0), { timeout: 60_000 });
  });

  it("says goodbye when the replica stops, which then lets nobody begin", async () => {
    const stream = await open();
    await live.close();
    expect((await stream.next("bye")).data).toEqual({ reason: "stopping" });
    await vi.waitFor(() => expect(stream.hasEnded()).toBe(true), { timeout: 60_000 });
    expect((await test.call("GET", liveRoutes.stream.path)).status).toBe(503);
  });
});
