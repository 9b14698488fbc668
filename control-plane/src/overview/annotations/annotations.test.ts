import { type Annotation, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { isOnCitus } from "../../../test-support/database.ts";
import { registerMaintenanceRoutes } from "../../checks/maintenance/routes.ts";
import { registerDeploymentRoutes } from "../../telemetry/deployment-markers/routes.ts";
import { registerOverviewRoutes } from "../routes.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerOverviewRoutes(app, services);
      registerDeploymentRoutes(app, services);
      registerMaintenanceRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const iso = (ms: number) => new Date(ms).toISOString();
const now = () => test.clock.nowMs();
const list = async (
  query = `from=${iso(now() - HOUR_MS)}&to=${iso(now() + HOUR_MS)}`,
): Promise<Annotation[]> => {
  const { status, body } = await test.call("GET", `/api/annotations?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.annotations;
};
const ofKind = (annotations: readonly Annotation[], kind: Annotation["kind"]) =>
  annotations.filter((one) => one.kind === kind);
const deploy = (version: string) =>
  test.call("POST", "/api/events/deployments", { service: "shop", version, environment: "production" });

describe("annotations", () => {
  it("are what happened in the range, newest first", async () => {
    const check = await test.newCheck({ name: "Cart" });
    test.clock.advance(SECOND_MS);
    await deploy("1.2.3");
    test.clock.advance(SECOND_MS);
    await test.newRule(check, {
      name: "Down",
      channelIds: [await test.newChannel(test.team.teamId)],
      conditions: [{ type: "consecutive_failures", count: 1 }],
    });
    await test.deliver(check, [{ slotMs: now() - SECOND_MS, status: "failure" }]);
    const [instance] = await test.instances(check);
    const all = await list();
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(ofKind(all, "deployment")).toMatchObject([
      { title: "shop 1.2.3 in production", until: null, subjectId: expect.stringMatching(/^dep_/) },
    ]);
    expect(ofKind(all, "alert")).toMatchObject([
      { title: expect.stringContaining("Cart: "), until: null, subjectId: instance.id },
    ]);
    expect(ofKind(all, "config_change").map(({ title }) => title)).toEqual([
      expect.stringContaining("alert Down created"),
      expect.stringContaining("check Cart created"),
    ]);
  });

  it("of a check leave out what is about another", async () => {
    const cart = await test.newCheck({ name: "Cart" });
    await test.newCheck({ name: "Login" });
    await deploy("2");
    const body = {
      name: "Night",
      checkIds: [cart.id],
      mode: "pause",
      startsAt: iso(now() + MINUTE_MS),
      endsAt: iso(now() + 2 * MINUTE_MS),
      timezone: "UTC",
    };
    const window = await test.call("POST", "/api/maintenance-windows", body);
    expect(window.status, JSON.stringify(window.body)).toBe(201);
    const range = `from=${iso(now() - HOUR_MS)}&to=${iso(now() + HOUR_MS)}`;
    const ofCart = await list(`checkId=${cart.id}&${range}`);
    expect(ofCart.map(({ kind }) => kind).toSorted()).toEqual(["config_change", "deployment", "maintenance"]);
    expect(ofKind(ofCart, "maintenance")).toMatchObject([
      { title: "Night: checks paused", at: body.startsAt, until: body.endsAt },
    ]);
    const other = await test.newCheck({ name: "Search" });
    expect(ofKind(await list(`checkId=${other.id}&${range}`), "maintenance")).toEqual([]);
  });

  it("tell of a certificate once that several locations see anew, and not of the first one", async () => {
    const check = await test.newCheck({ name: "Pay", locations: ["loc_us_east", "loc_us_west"] });
    const seen = [
      ["a", 30],
      ["b", 20],
    ] as const;
    for (const [fingerprint, minutesAgo] of seen)
      for (const locationKey of check.locationKeys)
        await test.services.knex("tlsObservations").insert({
          checkKey: check.key,
          locationKey,
          firstSlotMs: now() - minutesAgo * MINUTE_MS,
          fingerprintSha256: fingerprint,
          facts: { host: "pay.example", validTo: "2027-01-01T00:00:00.000Z" },
        });
    expect(ofKind(await list(), "certificate_change")).toEqual([
      {
        kind: "certificate_change",
        at: iso(now() - 20 * MINUTE_MS),
        until: null,
        title: "Pay: another certificate of pay.example, valid until 2027-01-01",
        subjectId: check.id,
      },
    ]);
  });

  it("tell of an incident of a check, also when it began before the range and lasted into it", async () => {
    const check = await test.newCheck({ name: "Cart" });
    const openedAt = new Date(now() - 3 * HOUR_MS);
    const { knex } = test.services;
    const [{ key }] = await knex("incidents")
      .insert({
        id: `inc_${crypto.randomUUID()}`,
        teamId: test.team.teamId,
        title: "Shop is down",
        severity: "critical",
        state: "resolved",
        dimensions: [],
        fingerprintHash: "f",
        hypothesis: {},
        observations: {},
        memberCount: 1,
        openMemberCount: 0,
        openedAt,
        resolvedAt: new Date(now() - HOUR_MS / 2),
      })
      .returning("key");
    await knex("incidentMembers").insert({
      instanceId: `ainst_${crypto.randomUUID()}`,
      incidentKey: key,
      position: 0,
      ruleId: "alert_x",
      checkId: check.id,
      severity: "critical",
      startedAt: openedAt,
      channelIds: [await test.newChannel(test.team.teamId)],
      dimensions: [],
      facts: {},
    });
    const range = (fromMs: number) => `checkId=${check.id}&from=${iso(fromMs)}&to=${iso(now())}`;
    expect(ofKind(await list(range(now() - HOUR_MS)), "incident")).toMatchObject([
      { title: "Shop is down", at: openedAt.toISOString(), until: iso(now() - HOUR_MS / 2) },
    ]);
    expect(ofKind(await list(range(now() - HOUR_MS / 4)), "incident")).toEqual([]);
  });

  it("of more than 500 are the newest", async () => {
    const { knex } = test.services;
    await knex.raw(
      `INSERT INTO deployments (id, team_id, service, version, created_at)
       SELECT 'dep_' || n || ?, ?, 'shop', n::text, to_timestamp(? / 1000.0) - n * interval '1 second' FROM generate_series(1, 600) n`,
      [crypto.randomUUID(), test.team.teamId, now()],
    );
    const all = await list(`from=${iso(now() - DAY_MS)}&to=${iso(now())}`);
    expect(all).toHaveLength(500);
    expect(all[0]).toMatchObject({ title: "shop 1" });
  });

  it("are the team's alone; another team's check is not found", async () => {
    const check = await test.newCheck({ name: "Cart" });
    await deploy("3");
    test.team = await test.createTeam();
    expect(await list()).toEqual([]);
    expect(await test.call("GET", `/api/annotations?checkId=${check.id}`)).toMatchObject({ status: 404 });
  });

  // The plan is that of one server.
  it.skipIf(isOnCitus)("are read by indexes, however many of other teams there are", async () => {
    const { knex } = test.services;
    const other = (await test.createTeam()).teamId;
    await knex.raw(
      `INSERT INTO deployments (id, team_id, service, version, created_at)
       SELECT 'dep_' || gen_random_uuid(), :other, 'shop', n::text, now() - n * interval '1 minute' FROM generate_series(1, 20000) n`,
      { other },
    );
    await knex.raw(
      `INSERT INTO changes (id, team_id, action, type, resource_id, name, source, created_at)
       SELECT 'change_' || gen_random_uuid(), :other, 'updated', 'check', 'chk_' || n % 100, 'Cart', 'api', now() - n * interval '1 minute'
       FROM generate_series(1, 20000) n`,
      { other },
    );
    await knex.raw("ANALYZE deployments, changes");
    const statements: string[] = [];
    const listener = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
      if (sql.includes("tls_observations"))
        statements.push(knex.raw(sql.replace(/\$\d+/g, "?"), bindings as never).toString());
    };
    knex.on("query", listener);
    await list();
    knex.off("query", listener);
    expect(statements).toHaveLength(1);
    const { rows } = await knex.raw(`EXPLAIN ${statements[0]}`);
    const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
    expect(plan).not.toMatch(/Seq Scan on (deployments|changes)/);
  });

  it("are refused of a range that ends before it begins or is longer than 400 days", async () => {
    for (const from of [now() + MINUTE_MS, now() - 401 * DAY_MS])
      expect(await test.call("GET", `/api/annotations?from=${iso(from)}&to=${iso(now())}`)).toMatchObject({
        status: 400,
        body: { details: { fieldErrors: { from: [expect.any(String)] } } },
      });
  });
});
