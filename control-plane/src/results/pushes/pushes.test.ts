import { type CheckId, newId } from "@svc/contract";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, createTestClock, type TestApp } from "../../../test-support/app.ts";
import { openSecondPool } from "../../../test-support/database.ts";
import { hashToken } from "../../accounts/identity/tokens.ts";
import { registerAlertRoutes } from "../../alerting/routes.ts";
import { createFleetServices, type FleetServices } from "../../app/fleet-services.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { setPaused } from "../../checks/maintenance/pause-store.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { registerCoverageRoutes } from "../coverage/routes.ts";
import { ensurePartitions } from "../retention/partitions.ts";
import { registerResultRoutes } from "../routes.ts";
import { deliverLeftOutcomes, type PushParts } from "./deliver-outcomes.ts";
import { findOverdue } from "./jobs.ts";
import { registerPushRoutes } from "./routes.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const { signal } = new AbortController();

let test: TestApp;
let fleet: FleetServices;
let other: PushParts;
let parts: PushParts;
let closeSecond: () => Promise<void>;

beforeAll(async () => {
  test = await createTestApp({
    clock: createTestClock(Date.now() - 6 * HOUR_MS),
    settings: { SVC_RATE_LIMIT_PER_MINUTE: "100000", SVC_RETENTION_DAYS: "7" },
    register: async (app, services) => {
      fleet = createFleetServices(services, { version: "test", registry: new Registry() });
      parts = { services, ingester: fleet.ingester };
      registerCheckRoutes(app, services, []);
      registerChannelRoutes(app, services);
      registerAlertRoutes(app, services);
      await registerResultRoutes(app, services);
      await registerCoverageRoutes(app, services);
      registerPushRoutes(app, parts);
    },
  });
  await seedHostedLocations(test.services.knex);
  const second = await openSecondPool(test.database, 4);
  const services = { ...test.services, knex: second };
  const fleetOfOther = createFleetServices(services, { version: "test", registry: new Registry() });
  other = { services, ingester: fleetOfOther.ingester };
  closeSecond = async () => {
    await fleetOfOther.ingester.close(1000);
    await second.destroy();
  };
});
afterAll(async () => {
  await closeSecond?.();
  await fleet?.ingester.close(1000);
  await test?.close();
});
beforeEach(() => test.clock.advance(60 * SECOND_MS));

interface Created {
  id: CheckId;
  key: number;
  path: string;
}

async function create(config: object = { periodSeconds: 3600, graceSeconds: 300 }): Promise<Created> {
  const { status, body } = await test.call("POST", "/api/checks", {
    name: newId("check"),
    type: "heartbeat",
    heartbeatConfig: config,
  });
  expect([status, body.check?.locations]).toEqual([201, ["loc_push"]]);
  const { key } = await test.services.knex("checks").where({ id: body.check.id }).first("key");
  return { id: body.check.id, key, path: new URL(body.check.pushUrl).pathname };
}

const report = (path: string, method: "GET" | "POST" = "POST") => test.call(method, path, undefined, {});
const resultsOf = async ({ id }: Created) =>
  (await test.call("GET", `/api/checks/${id}/results?detail=true`)).body.results as {
    status: string;
    errorCategory: string | null;
    responseTimeMs: number;
    slotAt: string;
    locationId: string;
    heartbeatJson: Record<string, unknown>;
  }[];
const storedSlots = (check: Created) =>
  test.services.knex("results").where({ checkKey: check.key }).pluck("slot_ms");
/** Both replicas look for what is overdue, at once. */
const lookTwice = () => Promise.all([turn(parts), turn(other)]);
async function turn(replica: PushParts): Promise<void> {
  await findOverdue(replica, { nowMs: test.clock.nowMs(), signal });
  await deliverLeftOutcomes(replica, signal);
}

it.each(["@daily", "@Hourly", " 0 3 * * 1 "])(
  "a check by cron %j is answered as it is written, and can be written back",
  async (cron) => {
    const { id } = await create({ cron, timezone: "Europe/Berlin", graceSeconds: 60 });
    const { configJson: config } = (await test.call("GET", `/api/checks/${id}`)).body.check;
    expect(config).toMatchObject({ cron });
    const { status, body } = await test.call("PUT", `/api/checks/${id}`, { configJson: config });
    expect([status, body.check?.configJson]).toEqual([200, config]);
  },
);

describe("a report", () => {
  it("is a result at the location of reports: its exit code decides, and a run's begin gives the time", async () => {
    const check = await create();
    expect((await report(check.path, "GET")).body).toEqual({ ok: true });
    test.clock.advance(10 * SECOND_MS);
    await report(`${check.path}/start`);
    test.clock.advance(90 * SECOND_MS);
    await report(`${check.path}/0`);
    test.clock.advance(10 * SECOND_MS);
    await report(`${check.path}/137`, "GET");
    const results = await resultsOf(check);
    expect(
      results.map(({ status, errorCategory, responseTimeMs, locationId }) => [
        status,
        errorCategory,
        responseTimeMs,
        locationId,
      ]),
    ).toEqual([
      ["failure", "heartbeat", 0, "loc_push"],
      ["success", null, 90_000, "loc_push"],
      ["success", null, 0, "loc_push"],
    ]);
    expect(results[0]?.heartbeatJson).toEqual({ kind: "report", exitCode: 137 });
    expect(results[1]?.heartbeatJson).toEqual({ kind: "report", exitCode: 0, durationMs: 90_000 });
  });

  it("of a run of hours has its whole time in the detail", async () => {
    const check = await create({ periodSeconds: 86_400 });
    await report(`${check.path}/start`);
    test.clock.advance(2 * HOUR_MS);
    await report(check.path);
    const [result] = await resultsOf(check);
    expect(result?.heartbeatJson.durationMs).toBe(2 * HOUR_MS);
    expect(result?.responseTimeMs).toBeCloseTo(2_147_483.647);
  });

  it.each([
    ["a form", "application/x-www-form-urlencoded", "a=1"],
    ["JSON that is none", "application/json", "{"],
    ["a log of 3 MB", "text/plain", "x".repeat(3_000_000)],
    ["bytes of no type", "", "\u0000\u0001"],
  ])("may come with %s, which is let go by", async (_name, contentType, payload) => {
    const check = await create();
    const headers: Record<string, string> = contentType === "" ? {} : { "content-type": contentType };
    expect((await test.call("POST", check.path, payload, headers)).status).toBe(200);
  });

  it("to an unknown URL is 404, of an odd one 400, and by HEAD nothing is stored", async () => {
    const check = await create();
    const answers = await Promise.all(
      ["/hb/nope", "/hb/%00", `${check.path}/256`, `${check.path}/-1`, `${check.path}/stop`].map((path) =>
        report(path),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 400, 400, 400]);
    expect(answers[0]?.body.error).toMatch(/not found/i);
    expect((await test.app.inject({ method: "HEAD", url: check.path })).statusCode).toBe(404);
    expect(await storedSlots(check)).toEqual([]);
  });

  it("counts once however often two come at one instant, and beyond ten at once is 429", async () => {
    const check = await create();
    const answers = await Promise.all(Array.from({ length: 12 }, () => report(check.path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.headers["retry-after"]).toBe("2");
    expect(new Set(await storedSlots(check)).size).toBe(10);
  });
});

describe("a report that does not come", () => {
  it("is one failure per expected instant, whichever replica looks and however often", async () => {
    const check = await create();
    await report(check.path);
    const [reportedMs] = await storedSlots(check);
    test.clock.advance(HOUR_MS + 299 * SECOND_MS);
    await lookTwice();
    expect(await storedSlots(check)).toHaveLength(1);
    test.clock.advance(SECOND_MS);
    await lookTwice();
    await lookTwice();
    expect((await storedSlots(check)).sort()).toEqual([reportedMs, reportedMs + HOUR_MS]);
    test.clock.advance(2 * HOUR_MS);
    await lookTwice();
    const results = await resultsOf(check);
    expect(results.map(({ status }) => status)).toEqual(["failure", "failure", "failure", "success"]);
    expect(results[0]).toMatchObject({ errorCategory: "heartbeat", heartbeatJson: { kind: "overdue" } });
    await report(check.path);
    expect((await resultsOf(check))[0]?.status).toBe("success");
  });

  it("is stored once though the replica ends before ingest has got it", async () => {
    const check = await create();
    test.clock.advance(HOUR_MS + 300 * SECOND_MS);
    const dying: PushParts = { ...parts, ingester: { submit: () => Promise.reject(new Error("killed")) } };
    await findOverdue(dying, { nowMs: test.clock.nowMs(), signal });
    await expect(deliverLeftOutcomes(dying, signal)).rejects.toThrow("killed");
    expect(await storedSlots(check)).toEqual([]);
    await lookTwice();
    expect(await storedSlots(check)).toHaveLength(1);
    expect(await test.services.knex("pushOutcomes").where({ checkKey: check.key })).toEqual([]);
  });

  it("and a report at the last instant never both count", async () => {
    const check = await create();
    test.clock.advance(HOUR_MS + 300 * SECOND_MS);
    await Promise.all([report(check.path), turn(parts), turn(other)]);
    await lookTwice();
    const slots = await storedSlots(check);
    const failures = (await resultsOf(check)).filter(({ status }) => status === "failure");
    expect(slots.length - failures.length).toBe(1);
    expect(failures.length).toBeLessThanOrEqual(1);
  });

  it("is no failure while the check is disabled or paused, nor in the first period afterwards", async () => {
    const [disabled, paused] = [await create(), await create()];
    await test.call("PUT", `/api/checks/${disabled.id}`, { enabled: false });
    const nowMs = () => test.clock.nowMs();
    await setPaused(test.services.knex, { keys: [paused.key], paused: true, nowMs: nowMs() });
    test.clock.advance(3 * HOUR_MS);
    await lookTwice();
    await report(disabled.path);
    await report(paused.path);
    await test.call("PUT", `/api/checks/${disabled.id}`, { enabled: true });
    await setPaused(test.services.knex, { keys: [paused.key], paused: false, nowMs: nowMs() });
    const resumedMs = nowMs();
    test.clock.advance(HOUR_MS + 299 * SECOND_MS);
    await lookTwice();
    expect([await storedSlots(disabled), await storedSlots(paused)]).toEqual([[], []]);
    test.clock.advance(SECOND_MS);
    await lookTwice();
    expect([await storedSlots(disabled), await storedSlots(paused)]).toEqual([
      [resumedMs + HOUR_MS],
      [resumedMs + HOUR_MS],
    ]);
  });

  it("is no failure when the service was away in the time in which it was to come", async () => {
    const check = await create();
    const createdMs = test.clock.nowMs();
    const outage = {
      replicaId: newId("check"),
      fromMs: createdMs + HOUR_MS,
      untilMs: createdMs + HOUR_MS + 60_000,
    };
    await test.services.knex("serviceOutages").insert(outage);
    test.clock.advance(HOUR_MS + 300 * SECOND_MS);
    await lookTwice();
    expect(await storedSlots(check)).toEqual([]);
    test.clock.advance(HOUR_MS + 60_000);
    await lookTwice();
    expect(await storedSlots(check)).toEqual([outage.untilMs + HOUR_MS]);
  });
});

describe("the check", () => {
  it("has a URL that only those who may change it see, and another one once it is replaced", async () => {
    const check = await create();
    const urlOf = async (query: string, headers = test.team.byKey) =>
      (await test.call("GET", `/api/checks/${check.id}${query}`, undefined, headers)).body.check.pushUrl;
    expect(new URL(await urlOf("")).pathname).toBe(check.path);
    expect(await urlOf("?secrets=masked")).toMatch(/\/hb\/\*\*\*$/);
    await test.services.knex("apiKeys").where({ id: test.team.apiKeyId }).update({ role: "viewer" });
    expect(await urlOf("")).toMatch(/\/hb\/\*\*\*$/);
    await test.services.knex("apiKeys").where({ id: test.team.apiKeyId }).update({ role: "member" });
    const stored = await test.services.knex("checks").where({ id: check.id }).first();
    expect(stored.pushTokenHash).toEqual(hashToken(check.path.replace("/hb/", "")));
    expect(JSON.stringify(stored)).not.toContain(check.path.replace("/hb/", ""));
    const replaced = await test.call("POST", `/api/checks/${check.id}/push-url`);
    const next = new URL(replaced.body.check.pushUrl).pathname;
    expect([(await report(check.path)).status, (await report(next)).status]).toEqual([404, 200]);
    const foreign = await test.createTeam();
    expect(
      (await test.call("POST", `/api/checks/${check.id}/push-url`, undefined, foreign.byKey)).status,
    ).toBe(404);
  });

  it("has no slots that could be missing, and can't be run or probed", async () => {
    const check = await create({ periodSeconds: 30, graceSeconds: 10 });
    test.clock.advance(600 * SECOND_MS);
    const { body } = await test.call("GET", `/api/checks/${check.id}/coverage?range=24h`);
    expect(body.locations.map((one: { expected: number }) => one.expected)).toEqual(
      body.locations.map(() => 0),
    );
    expect((await test.call("POST", `/api/checks/${check.id}/trigger`)).status).toBe(400);
    for (const change of [{ frequencySeconds: 60 }, { locations: ["loc_us_east"] }])
      expect((await test.call("PUT", `/api/checks/${check.id}`, change)).status).toBe(400);
    const probed = {
      name: "Home",
      type: "http",
      httpConfig: { url: "http://127.0.0.1/" },
      locations: ["loc_push"],
    };
    expect((await test.call("POST", "/api/checks", probed)).status).toBe(400);
  });

  it("expects by its new configuration from the change on", async () => {
    const check = await create({ periodSeconds: 86_400 });
    const configJson = { periodSeconds: 60, graceSeconds: 10 };
    const { body } = await test.call("PUT", `/api/checks/${check.id}`, { configJson });
    expect(body.check.frequencySeconds).toBe(60);
    const changedMs = test.clock.nowMs();
    test.clock.advance(70 * SECOND_MS);
    await lookTwice();
    expect(await storedSlots(check)).toEqual([changedMs + 60 * SECOND_MS]);
  });

  it("alerts like any other, at once also by a rule that confirms, and recovers with the next report", async () => {
    const check = await create();
    const hook = { name: "Hook", channel: { type: "webhook", url: "https://hook.example.org/" } };
    const { body } = await test.call("POST", "/api/notification-channels", hook);
    const rule = {
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [body.channel.id],
      confirm: true,
    };
    expect((await test.call("POST", `/api/checks/${check.id}/alerts`, rule)).status).toBe(201);
    test.clock.advance(HOUR_MS + 300 * SECOND_MS);
    await lookTwice();
    const states = () => test.services.knex("alertInstances").where({ checkKey: check.key }).pluck("state");
    expect(await states()).toEqual(["active"]);
    await report(check.path);
    expect(await states()).toEqual(["recovered"]);
  });
});

describe("a grace that is longer than results are kept", () => {
  it("ends with a failure that is kept, which says when the report was expected", async () => {
    // Those of other tests would miss thousands of reports meanwhile.
    await test.services.knex("pushExpectations").delete();
    const check = await create({ periodSeconds: 3600, graceSeconds: 30 * 86_400 });
    const expectedMs = test.clock.nowMs() + HOUR_MS;
    test.clock.advance(HOUR_MS + 30 * 24 * HOUR_MS);
    const nowMs = test.clock.nowMs();
    await ensurePartitions(test.services.knex, nowMs - 24 * HOUR_MS, nowMs + 24 * HOUR_MS);
    const { retentionDays } = test.services.config;
    expect(retentionDays).toBeLessThan(30);
    await lookTwice();
    expect(await storedSlots(check)).toEqual([nowMs]);
    expect((await resultsOf(check))[0]?.heartbeatJson).toEqual({
      kind: "overdue",
      expectedAt: new Date(expectedMs).toISOString(),
    });
  });
});
