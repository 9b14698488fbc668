import { gunzipSync } from "node:zlib";
import { DAY_MS, HOUR_MS, MINUTE_MS, newId, type Overview, SECOND_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../test-support/alerting.ts";
import { aRollup } from "../../test-support/builders.ts";
import { registerResultRoutes } from "../results/routes.ts";
import { registerDeploymentRoutes } from "../telemetry/deployment-markers/routes.ts";
import { registerOverviewRoutes } from "./routes.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerOverviewRoutes(app, services);
      registerDeploymentRoutes(app, services);
      registerResultRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const overview = async (): Promise<Overview> => {
  // Older than what was kept for the last one who asked.
  test.clock.advance(5 * SECOND_MS);
  const { status, body } = await test.call("GET", "/api/overview");
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const kinds = ({ attention }: Overview) => attention.map(({ kind }) => kind);

it("of a team without checks says so, and asks for nothing", async () => {
  expect(await overview()).toMatchObject({
    checks: { total: 0, healthy: 0, unhealthy: 0, unknown: 0, disabled: 0 },
    failing: [],
    openIncidents: [],
    openAlerts: { critical: 0, warning: 0, info: 0 },
    slots: { expected: 0, received: 0, missing: [] },
    responseTime: null,
    slosAtRisk: { count: 0, judged: 0 },
    locations: { total: 0, active: 0, notActive: [] },
    telemetry: { state: "off" },
    attention: [],
    setUp: { channel: false, rule: false, deploy: false },
  });
});

it("names a failing check with its newest failure, since when and where it fails", async () => {
  const check = await test.newCheck({ name: "Cart", locations: ["loc_us_east", "loc_us_west"] });
  const [east, west] = check.locationKeys as [number, number];
  const slotMs = test.clock.nowMs() - 10 * MINUTE_MS;
  await test.deliver(check, [
    { slotMs, locationKey: east },
    { slotMs, locationKey: west },
    { slotMs: slotMs + MINUTE_MS, locationKey: west, status: "timeout" },
    {
      slotMs: slotMs + 2 * MINUTE_MS,
      locationKey: west,
      status: "failure",
      detail: { errorMessage: `answered 500 ${"x".repeat(300)}` },
    },
    { slotMs: slotMs + 2 * MINUTE_MS, locationKey: east },
  ]);
  const { checks, failing } = await overview();
  expect(checks).toMatchObject({ total: 1, unhealthy: 1, healthy: 0 });
  expect(failing).toMatchObject([
    {
      id: check.id,
      name: "Cart",
      severity: null,
      sinceAt: new Date(slotMs + MINUTE_MS).toISOString(),
      locationCount: 2,
      failingLocations: [{ id: "loc_us_west" }],
      status: "failure",
    },
  ]);
  const [{ resultId, errorMessage, recent }] = failing as [Overview["failing"][number]];
  expect(recent.slice(0, 3)).toEqual(["success", "success", "timeout"]);
  expect(recent.slice(3).sort()).toEqual(["failure", "success"]);
  expect(errorMessage).toMatch(/^answered 500 x+…$/);
  expect(errorMessage).toHaveLength(160);
  const result = await test.call("GET", `/api/checks/${check.id}/results/${resultId}`);
  expect(result.body.result).toMatchObject({ status: "failure" });
});

it("finds the begin of a failure by the hours when it began long ago", async () => {
  const check = await test.newCheck({ name: "Old" });
  const { knex } = test.services;
  const beganMs = Math.floor(test.clock.nowMs() / HOUR_MS) * HOUR_MS - 8 * DAY_MS + 30 * MINUTE_MS;
  await test.deliver(check, [
    { slotMs: beganMs - MINUTE_MS },
    { slotMs: beganMs, status: "failure" },
    { slotMs: beganMs + DAY_MS, status: "failure" },
    { slotMs: test.clock.nowMs() - MINUTE_MS, status: "failure" },
  ]);
  await knex("rollups").insert(
    aRollup({
      bucketSeconds: 3600,
      bucketMs: Math.floor(beganMs / HOUR_MS) * HOUR_MS,
      checkKey: check.key,
      locationKey: check.locationKeys[0],
      failureCount: 1,
    }),
  );
  const answered = await overview();
  expect(answered.failing).toMatchObject([{ sinceAt: new Date(beganMs).toISOString() }]);
  expect(kinds(answered)).toContain("check_failing_long");
});

it("counts open alerts, and names the gravest first", async () => {
  const channelId = await test.newChannel();
  const [minor, major] = [await test.newCheck({ name: "Minor" }), await test.newCheck({ name: "Major" })];
  for (const check of [minor, major])
    await test.newRule(check, {
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [channelId],
    });
  for (const check of [minor, major])
    await test.deliver(check, [{ slotMs: test.clock.nowMs() - MINUTE_MS, status: "failure" }]);
  for (const [check, severity] of [
    [minor, "info"],
    [major, "critical"],
  ] as const)
    await test.services.knex("alertInstances").where({ checkKey: check.key }).update({ severity });
  await test.services.knex("alertInstances").where({ checkKey: minor.key }).update({ state: "acknowledged" });
  const answered = await overview();
  expect(answered.openAlerts).toEqual({ critical: 1, warning: 0, info: 1 });
  expect(answered.unacknowledged).toEqual({ alerts: 1, incidents: 0 });
  expect(answered.failing.map(({ name, severity }) => [name, severity])).toEqual([
    ["Major", "critical"],
    ["Minor", "info"],
  ]);
  expect(
    answered.latest
      .filter(({ kind }) => kind === "alert")
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["Major", "Minor"]);
});

it("asks for attention where nobody would learn of a failure, and where nothing runs", async () => {
  const check = await test.newCheck({ name: "Unwatched" });
  const answered = await overview();
  expect(answered.attention).toMatchObject([
    { kind: "check_without_rule", count: 1, subjects: [{ id: check.id, name: "Unwatched" }] },
  ]);
  const mail = newId("channel");
  const { knex } = test.services;
  await knex("notificationChannels").insert({
    id: mail,
    teamId: test.team.teamId,
    name: "mail",
    type: "email",
    config: Buffer.from(""),
  });
  await knex("alertRules").insert({
    id: newId("alertRule"),
    teamId: test.team.teamId,
    checkKey: check.key,
    enabled: true,
    conditions: "[]",
    channelIds: [mail],
  });
  test.clock.advance(20 * MINUTE_MS);
  await knex("checks")
    .where({ key: check.key })
    .update({ createdAt: new Date(test.clock.nowMs() - 20 * MINUTE_MS) });
  expect(kinds(await overview())).toEqual(["check_never_ran", "rule_without_channel"]);
  await test.newChannel();
  expect(kinds(await overview())).toEqual(["check_never_ran", "rule_without_channel"]);
  await knex("notificationChannels").where({ id: mail }).update({ type: "webhook" });
  expect(kinds(await overview())).toEqual(["check_never_ran"]);
});

it("names channels whose newest delivery failed, and asks to look when three failed", async () => {
  const { knex } = test.services;
  const channelId = await test.newChannel();
  const { key } = await knex("notificationChannels").where({ id: channelId }).first("key");
  const [{ key: notificationKey }] = await knex("notifications")
    .insert({
      id: newId("notification"),
      teamId: test.team.teamId,
      channelKey: key,
      kind: "test",
      payload: "{}",
      status: "failed",
    })
    .returning("key");
  const deliver = (status: string) =>
    knex("notificationDeliveries").insert({
      id: newId("delivery"),
      channelKey: key,
      notificationKey,
      attempt: 1,
      status,
      durationMs: 1,
    });
  await deliver("delivered");
  await deliver("failed");
  const answered = await overview();
  expect(answered.channelsFailing).toEqual({ count: 1, first: [{ id: channelId, name: channelId }] });
  expect(kinds(answered)).not.toContain("channel_failing");
  await deliver("failed");
  await deliver("failed");
  expect(kinds(await overview())).toContain("channel_failing");
  await deliver("delivered");
  expect((await overview()).channelsFailing.count).toBe(0);
});

it("compares response times with this hour of other days", async () => {
  const check = await test.newCheck();
  const { knex } = test.services;
  const bucket = (bucketSeconds: number, bucketMs: number, meanMs: number) =>
    aRollup({
      bucketSeconds,
      bucketMs,
      checkKey: check.key,
      locationKey: check.locationKeys[0],
      successCount: 2,
      responseTimeSumUs: 2_000 * meanMs,
    });
  const nowMs = test.clock.nowMs();
  const doneUntilMs = Math.floor(nowMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  await knex("jobProgress").insert({ job: "rollups", doneUntilMs }).onConflict("job").merge();
  await knex("rollups").insert([
    bucket(300, doneUntilMs - 5 * MINUTE_MS, 300),
    bucket(3600, hourMs - DAY_MS, 100),
    bucket(3600, hourMs - 7 * DAY_MS, 300),
    bucket(3600, hourMs - 8 * DAY_MS, 9_000),
    bucket(3600, hourMs - DAY_MS - HOUR_MS, 9_000),
  ]);
  expect((await overview()).responseTime).toEqual({ nowMs: 300, usualMs: 200 });
  await knex("jobProgress").where({ job: "rollups" }).delete();
});

it("holds nothing of another team", async () => {
  const check = await test.newCheck({ name: "of the first team" });
  await test.deliver(check, [{ slotMs: test.clock.nowMs() - MINUTE_MS, status: "failure" }]);
  await test.call("POST", "/api/events/deployments", { service: "shop", version: "1" });
  const other = await test.createTeam();
  const { body } = await test.call("GET", "/api/overview", undefined, other.byKey);
  expect(body).toMatchObject({ checks: { total: 0 }, failing: [], latest: [], attention: [] });
  expect((await overview()).latest.map(({ kind }) => kind)).toContain("deployment");
});

it("of fifty failing checks has at most 4 KB compressed, made by few statements", async () => {
  const { knex } = test.services;
  const sentences = [
    "expected status 200, got 503",
    "connect ECONNREFUSED 10.0.0.7:443",
    "no answer within 30 s",
  ];
  for (let i = 0; i < 52; i++) {
    const check = await test.newCheck({ name: `Service number ${i}` });
    await test.deliver(check, [
      {
        slotMs: test.clock.nowMs() - MINUTE_MS,
        status: "failure",
        detail: { errorMessage: sentences[i % sentences.length] },
      },
    ]);
  }
  test.clock.advance(MINUTE_MS);
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => void statements.push(sql);
  knex.on("query", note);
  const answer = await test.app.inject({
    method: "GET",
    url: "/api/overview",
    headers: { ...test.team.byKey, "accept-encoding": "gzip" },
  });
  knex.off("query", note);
  const body = JSON.parse(gunzipSync(answer.rawPayload).toString()) as Overview;
  expect(body.failing).toHaveLength(50);
  expect(body.checks.unhealthy).toBe(52);
  expect(answer.rawPayload.length).toBeLessThan(4_096);
  expect(statements.length).toBeLessThanOrEqual(37);
  const again: string[] = [];
  const noteAgain = ({ sql }: { sql: string }) => void again.push(sql);
  knex.on("query", noteAgain);
  test.clock.advance(2 * SECOND_MS);
  await test.call("GET", "/api/overview");
  knex.off("query", noteAgain);
  // What is counted over days is kept; credentials are looked at by each request.
  expect(again.length).toBeLessThanOrEqual(18);
});
