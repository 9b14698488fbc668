import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { alertingDependents } from "../../alerting/check-dependents.ts";
import { registerAlertRoutes } from "../../alerting/routes.ts";
import { registerSloRoutes } from "../../alerting/slos/routes.ts";
import { registerSpecRoutes } from "../../checks/api-specs/routes.ts";
import { registerDeployBaselineRoutes } from "../../checks/deploy-baselines/routes.ts";
import { registerLabelRoutes } from "../../checks/labels/routes.ts";
import { registerLocationRoutes } from "../../checks/locations/routes.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerSecretRoutes } from "../../checks/team-secrets/routes.ts";
import { registerThirdPartyPatternRoutes } from "../../checks/third-party-patterns/routes.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { TEAM_CAPS, type TeamCapName } from "../../platform/team-caps.ts";
import { registerDeploymentRoutes } from "../../telemetry/deployment-markers/routes.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { readUsage } from "./usage-store.ts";

const CAP = 3;
/** Bytes that one or two of the records below have together, but not four. */
const BYTES_CAP = 2_700;
const LONG_TEXT = "x".repeat(1_000);

let test: TestApp;
beforeAll(async () => {
  const settings = Object.fromEntries(
    Object.values(TEAM_CAPS).map((cap) => [cap.variable, String("unit" in cap ? 1e9 : CAP)]),
  );
  test = await createTestApp({
    settings,
    register: async (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerLabelRoutes(app, services, []);
      registerLocationRoutes(app, services, assertChannelsExist);
      await registerSpecRoutes(app, services);
      registerAlertRoutes(app, services);
      registerSloRoutes(app, services);
      registerChannelRoutes(app, services);
      registerMaintenanceRoutes(app, services);
      registerDeployBaselineRoutes(app, services);
      registerDeploymentRoutes(app, services);
      registerApiKeyRoutes(app, services);
      registerSecretRoutes(app, services);
      registerThirdPartyPatternRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

/** A request that adds one record. */
interface Addition {
  method: InjectOptions["method"];
  url: string;
  body?: Record<string, unknown>;
  /** Sent by a person instead of a key. */
  isBySession?: boolean;
}

/** Records that the team has before the caps are set: those of a cap's case refer to them. */
interface Present {
  checkId: string;
  channelId: string;
}

const webhook = (name: string, headers: Record<string, string> = {}) => ({
  name,
  channel: { type: "webhook", url: "http://127.0.0.1:9/", headers },
});
const spec = (name: string, description = "") => ({
  name,
  sourceType: "upload",
  content: JSON.stringify({ openapi: "3.1.0", info: { title: name, version: "1", description }, paths: {} }),
});
const rule = (channelId: string) => ({
  conditions: [{ type: "consecutive_failures" }],
  channelIds: [channelId],
});
const slo = (name: string, { checkId }: Present) => ({
  name,
  checkId,
  targetBasisPoints: 9_900,
  windowDays: 7,
});
const deployed = (id: string) => ({
  kind: "check",
  name: "a",
  resourceId: id,
  hash: "0".repeat(64),
  updatedAt: "2026-01-01T00:00:00.000Z",
});

/** Per cap of records, the request that adds record number `n`, and how many of the kind a team has at first. */
const ADDITIONS: Partial<
  Record<TeamCapName, { first?: number; add(n: number, present: Present): Addition }>
> = {
  checks: {
    first: 1,
    add: (n) => ({ method: "POST", url: "/api/checks", body: aCheck({ name: `C ${n}` }) }),
  },
  labels: {
    add: (n, { checkId }) => ({
      method: "PUT",
      url: `/api/checks/${checkId}/labels`,
      body: { labels: Array.from({ length: n }, (_, label) => `l${label}`) },
    }),
  },
  alertRules: {
    add: (_n, { checkId, channelId }) => ({
      method: "POST",
      url: `/api/checks/${checkId}/alerts`,
      body: rule(channelId),
    }),
  },
  alertPolicies: {
    add: (n, { channelId }) => ({
      method: "POST",
      url: "/api/alert-policies",
      body: { ...rule(channelId), name: `P ${n}`, labels: ["a"] },
    }),
  },
  channels: {
    first: 1,
    add: (n) => ({ method: "POST", url: "/api/notification-channels", body: webhook(`N ${n}`) }),
  },
  thirdPartyPatterns: {
    add: (n) => ({
      method: "POST",
      url: "/api/third-party-patterns",
      body: { name: `P ${n}`, hostPattern: "cdn.example.com" },
    }),
  },
  slos: { add: (n, present) => ({ method: "POST", url: "/api/slos", body: slo(`S ${n}`, present) }) },
  maintenanceWindows: {
    add: (n) => ({
      method: "POST",
      url: "/api/maintenance-windows",
      body: {
        name: `W ${n}`,
        startsAt: "2027-01-01T00:00:00.000Z",
        endsAt: "2027-01-01T01:00:00.000Z",
        checkIds: "all",
      },
    }),
  },
  locations: { add: (n) => ({ method: "POST", url: "/api/locations", body: { name: `loc-${n}` } }) },
  apiKeys: { first: 1, add: () => ({ method: "POST", url: "/api/api-keys", body: {}, isBySession: true }) },
  specs: { add: (n) => ({ method: "POST", url: "/api/specs", body: spec(`API ${n}`) }) },
  deployBaselines: {
    add: (n) => ({ method: "PUT", url: `/api/deploy-baselines/p${n}`, body: { resources: [] } }),
  },
  secrets: { add: (n) => ({ method: "POST", url: "/api/secrets", body: { name: `S_${n}`, value: "v" } }) },
  deployments: {
    add: (n) => ({
      method: "POST",
      url: "/api/events/deployments",
      body: { service: "shop", version: `${n}` },
    }),
  },
};

async function present(team: TestTeam): Promise<Present> {
  const check = await test.call("POST", "/api/checks", aCheck(), team.byKey);
  const channel = await test.call("POST", "/api/notification-channels", webhook("First"), team.byKey);
  return { checkId: check.body.check.id, channelId: channel.body.channel.id };
}

async function send(team: TestTeam, { method, url, body, isBySession }: Addition) {
  return test.call(method, url, body, isBySession ? team.bySession : team.byKey);
}

describe("a team at its cap", () => {
  it.each(Object.entries(ADDITIONS))(
    "of %s gets 403 for one more, which names the setting",
    async (name, kind) => {
      const team = await test.createTeam();
      const there = await present(team);
      const { first = 0, add } = kind;
      for (let n = first + 1; n <= CAP; n++)
        expect((await send(team, add(n, there))).status).toBeLessThan(300);
      const { status, body } = await send(team, add(CAP + 1, there));
      expect([status, body.error]).toEqual([
        403,
        expect.stringMatching(new RegExp(`at most ${CAP} .*${TEAM_CAPS[name as TeamCapName].variable}`)),
      ]);
      const other = await test.createTeam();
      const theirs = await present(other);
      expect((await send(other, add(first + 1, theirs))).status).toBeLessThan(300);
    },
  );

  it("may add again after a deletion, and may always change and delete what it has", async () => {
    const team = await test.createTeam();
    const ids: string[] = [];
    for (let n = 0; n < CAP; n++) {
      const { body } = await test.call("POST", "/api/notification-channels", webhook(`N ${n}`), team.byKey);
      ids.push(body.channel.id);
    }
    const url = `/api/notification-channels/${ids[0]}`;
    expect((await test.call("PUT", url, { name: "Renamed" }, team.byKey)).status).toBe(200);
    expect((await test.call("DELETE", url, undefined, team.byKey)).status).toBe(200);
    expect((await test.call("POST", "/api/notification-channels", webhook("Again"), team.byKey)).status).toBe(
      201,
    );
  });

  it("can't exceed it by requests at once", async () => {
    for (const name of ["checks", "channels", "deployments", "alertRules"] as const) {
      const team = await test.createTeam();
      const there = await present(team);
      const { first = 0, add } = ADDITIONS[name] as NonNullable<(typeof ADDITIONS)[TeamCapName]>;
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => send(team, add(first + 1 + n, there))),
      );
      const added = answers.filter(({ status }) => status < 300).length;
      expect([name, added, answers.length - added]).toEqual([name, CAP - first, 12 - CAP + first]);
    }
  });

  it("of one check's alert rules gets 403, SLOs included", async () => {
    const team = await test.createTeam();
    const there = await present(team);
    const withAlerts = { ...slo("S", there), channelIds: [there.channelId] };
    await test.call("POST", `/api/checks/${there.checkId}/alerts`, rule(there.channelId), team.byKey);
    await test.call("POST", `/api/checks/${there.checkId}/alerts`, rule(there.channelId), team.byKey);
    const { status, body } = await test.call("POST", "/api/slos", withAlerts, team.byKey);
    expect([status, body.error]).toEqual([403, expect.stringContaining("SVC_CAP_ALERT_RULES")]);
  });
});

describe("bytes of a team's records", () => {
  let small: TestApp;
  beforeAll(async () => {
    small = await createTestApp({
      settings: Object.fromEntries(
        Object.values(TEAM_CAPS).flatMap((cap) => ("unit" in cap ? [[cap.variable, String(BYTES_CAP)]] : [])),
      ),
      register: async (app, services) => {
        registerCheckRoutes(app, services, []);
        registerChannelRoutes(app, services);
        registerDeployBaselineRoutes(app, services);
        registerSecretRoutes(app, services);
        await registerSpecRoutes(app, services);
      },
    });
    await seedHostedLocations(small.services.knex);
  });
  afterAll(() => small.close());

  const noise = () => Array.from({ length: 250 }, () => Math.random().toString(16).slice(2, 10)).join("");

  it.each<[string, (n: number) => Addition]>([
    [
      "SVC_CAP_CHECK_BYTES",
      (n) => ({
        method: "POST",
        url: "/api/checks",
        body: aCheck({ name: `C ${n}`, httpConfig: { url: "http://127.0.0.1:9/", body: LONG_TEXT } }),
      }),
    ],
    [
      "SVC_CAP_CHANNEL_BYTES",
      (n) => ({
        method: "POST",
        url: "/api/notification-channels",
        body: webhook(`N ${n}`, { a: LONG_TEXT }),
      }),
    ],
    [
      "SVC_CAP_DEPLOY_BASELINE_BYTES",
      (n) => ({
        method: "PUT",
        url: `/api/deploy-baselines/p${n}`,
        body: { resources: Array.from({ length: 10 }, (_, id) => deployed(`chk_${id}`)) },
      }),
    ],
    [
      "SVC_CAP_SECRET_BYTES",
      (n) => ({ method: "POST", url: "/api/secrets", body: { name: `S_${n}`, value: LONG_TEXT } }),
    ],
    ["SVC_CAP_SPEC_BYTES", (n) => ({ method: "POST", url: "/api/specs", body: spec(`API ${n}`, noise()) })],
  ])("%s: the record that exceeds it is refused, one that takes its place is not", async (variable, add) => {
    const answers = [];
    for (const n of [1, 2, 3, 4]) {
      const { method, url, body } = add(n);
      answers.push(await small.call(method, url, body));
    }
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(4 - refused.length);
    for (const { body } of refused) expect(body.error).toContain(variable);
  });

  it("a check that grows beyond the cap is refused, one that shrinks while above it is not", async () => {
    const team = await small.createTeam();
    const config = (body: string) => ({ url: "http://127.0.0.1:9/", body });
    const answer = await small.call("POST", "/api/checks", aCheck({ httpConfig: config("a") }), team.byKey);
    const url = `/api/checks/${answer.body.check.id}`;
    const change = (body: string) => small.call("PUT", url, { configJson: config(body) }, team.byKey);
    expect((await change("x".repeat(BYTES_CAP))).status).toBe(403);
    await small.services
      .knex("checks")
      .where({ id: answer.body.check.id })
      .update({ config: JSON.stringify(config("x".repeat(2 * BYTES_CAP))) });
    expect((await change("x".repeat(BYTES_CAP + 100))).status).toBe(200);
    expect((await change("x".repeat(BYTES_CAP + 200))).status).toBe(403);
  });
});

describe("what a team stores", () => {
  it("adds up to what is there, however it came and went", async () => {
    const team = await test.createTeam();
    const { knex } = test.services;
    const { checkId } = await present(team);
    await test.call("PUT", `/api/checks/${checkId}/labels`, { labels: ["a", "b"] }, team.byKey);
    await test.call("POST", "/api/locations", { name: "office" }, team.byKey);
    const counts = async () =>
      Object.fromEntries(
        (await readUsage(knex, team.teamId)).map(({ kind, recordCount }) => [kind, recordCount]),
      );
    expect(await counts()).toMatchObject({ checks: 1, labels: 2, locations: 1, channels: 1 });
    await test.call("DELETE", `/api/checks/${checkId}`, undefined, team.byKey);
    expect(await counts()).toMatchObject({ checks: 0, labels: 0, locations: 1, channels: 1 });
    const bytes = (await readUsage(knex, team.teamId)).find(({ kind }) => kind === "checks")?.byteCount;
    expect(bytes).toBe(0);
  });

  it("takes few rows, also after many changes", async () => {
    const team = await test.createTeam();
    const { knex } = test.services;
    await knex("teamUsage").insert(
      Array.from({ length: 300 }, (_, n) => ({
        teamId: team.teamId,
        kind: "deployments",
        recordCount: n % 2 === 0 ? 1 : -1,
        byteCount: 0,
      })),
    );
    const body = { service: "shop", version: "1" };
    for (let n = 0; n < 2; n++)
      expect((await test.call("POST", "/api/events/deployments", body, team.byKey)).status).toBe(201);
    const rows = await knex("teamUsage").where({ teamId: team.teamId, kind: "deployments" });
    expect(rows.length).toBeLessThan(5);
    expect(rows.reduce((sum, row) => sum + row.recordCount, 0)).toBe(2);
  });
});
