import { MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { registerThirdPartyPatternRoutes } from "../../checks/third-party-patterns/routes.ts";
import { registerEventRoutes } from "../../telemetry/feed/routes.ts";
import { registerSloRoutes } from "../slos/routes.ts";

const CDN = "cdn.example.com";

let test: AlertTest;
let check: AlertTestCheck;
let channelId: string;
let sloId: string;
beforeAll(async () => {
  test = await createAlertTest({
    // Events are listed up to the clock of the database.
    clock: createTestClock(Date.now()),
    register: (app, services) => {
      registerSloRoutes(app, services);
      registerThirdPartyPatternRoutes(app, services);
      registerEventRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
  channelId = await test.newChannel();
  check = await test.newCheck();
  const pattern = { name: "CDN", hostPattern: CDN };
  const { id: patternId } = (await test.call("POST", "/api/third-party-patterns", pattern)).body.pattern;
  const slo = {
    name: "CDN up",
    sloType: "third_party",
    patternId,
    targetBasisPoints: 9_900,
    windowDays: 7,
    channelIds: [channelId],
  };
  sloId = (await test.call("POST", "/api/slos", slo)).body.slo.id;
});

/** A run a minute ago. */
const run = (total: number, good: number) =>
  test.deliver(check, [{ slotMs: test.clock.nowMs() - MINUTE_MS, requests: [{ host: CDN, total, good }] }]);
const evaluate = () => test.evaluator.evaluateSlosNow(test.services.knex);
const alerts = async (query = "") =>
  (await test.call("GET", `/api/alerts/instances${query}`)).body.instances.toSorted(
    (a: { ruleName: string }, b: { ruleName: string }) => a.ruleName.localeCompare(b.ruleName),
  );
const states = async () =>
  (await alerts()).map(({ ruleName, state }: { ruleName: string; state: string }) => [ruleName, state]);
const notified = async () => {
  const rows = await test.services
    .knex("notifications")
    .where({ teamId: test.team.teamId })
    .orderBy("key")
    .select("kind", "payload");
  return rows.map(({ kind, payload }) => [kind, payload.rule.name, payload.check, payload.summary]);
};

describe("the alert of a third-party SLO", () => {
  it("fires once for each pace, however many replicas look, and is about no check", async () => {
    await run(10, 5);
    const other = test.newEvaluator();
    const { knex } = test.services;
    await Promise.all([evaluate(), other.evaluateSlosNow(knex), evaluate()]);
    await evaluate();
    const [fast, slow] = await alerts();
    expect(fast).toMatchObject({
      ruleName: "CDN up: fast burn",
      checkId: null,
      checkName: null,
      state: "active",
      severity: "critical",
      contextJson: {
        summary: "error budget burns 50.0 times too fast over 60 minutes",
        conditions: [
          { type: "burn_rate", threshold: { sloId }, observed: { long: 50, short: 50 }, resultIds: [] },
        ],
      },
    });
    expect(slow).toMatchObject({ ruleName: "CDN up: slow burn", checkId: null, state: "active" });
    expect((await notified()).sort()).toEqual([
      [
        "triggered",
        "CDN up: fast burn",
        null,
        expect.stringContaining("CDN up: fast burn: error budget burns"),
      ],
      [
        "triggered",
        "CDN up: slow burn",
        null,
        expect.stringContaining("CDN up: slow burn: error budget burns"),
      ],
    ]);
    const { instance } = (await test.call("GET", `/api/alerts/instances/${fast.id}`)).body;
    expect(instance).toMatchObject({ checkId: null, triggeringResultId: null });
    const { events } = (await test.call("GET", "/api/events?type=alert.triggered")).body;
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ checkId: null, checkName: null, checkType: null });
    expect(events[0].resourceAttributes).not.toHaveProperty("synthetics.check.id");
  });

  it("does not fire while the requests are good, nor when none were made", async () => {
    await evaluate();
    await run(1_000, 999);
    await evaluate();
    expect(await alerts()).toEqual([]);
  });

  it("is acknowledged by a person, and recovers by good requests after it began", async () => {
    await run(10, 5);
    await evaluate();
    const [fast] = await alerts();
    const acknowledged = await test.call("POST", `/api/alerts/instances/${fast.id}/acknowledge`);
    expect(acknowledged.status, JSON.stringify(acknowledged.body)).toBe(200);
    test.clock.advance(10 * MINUTE_MS);
    await run(10, 10);
    await evaluate();
    // Over 6 hours and 30 minutes the budget still burns.
    expect(await states()).toEqual([
      ["CDN up: fast burn", "recovered"],
      ["CDN up: slow burn", "active"],
    ]);
    test.clock.advance(35 * MINUTE_MS);
    await run(10, 10);
    await evaluate();
    expect((await states())[1]).toEqual(["CDN up: slow burn", "recovered"]);
    const kinds = (await notified()).map(([kind]) => kind);
    expect(kinds.filter((kind) => kind === "recovered")).toHaveLength(2);
  });

  it("does not recover because no run asks the third party any more", async () => {
    await run(10, 5);
    await evaluate();
    test.clock.advance(45 * MINUTE_MS);
    await evaluate();
    expect(await states()).toEqual([
      ["CDN up: fast burn", "active"],
      ["CDN up: slow burn", "active"],
    ]);
  });

  it("is muted and unmuted by a person", async () => {
    await run(10, 5);
    await evaluate();
    const [fast] = await alerts();
    const muted = await test.call("POST", `/api/alerts/instances/${fast.id}/mute`, {});
    expect(muted.status, JSON.stringify(muted.body)).toBe(200);
    expect((await test.call("POST", `/api/alerts/instances/${fast.id}/unmute`)).status).toBe(200);
    expect((await states())[0]).toEqual(["CDN up: fast burn", "active"]);
  });

  it.each([
    ["is switched off", () => test.call("PUT", `/api/slos/${sloId}`, { enabled: false })],
    ["is deleted", () => test.call("DELETE", `/api/slos/${sloId}`)],
    ["shall send no alerts", () => test.call("PUT", `/api/slos/${sloId}`, { burnRateAlertsEnabled: false })],
  ])("is resolved when the SLO %s, and does not fire again", async (_title, change) => {
    await run(10, 5);
    await evaluate();
    const answer = await change();
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    await evaluate();
    expect(await states()).toEqual([
      ["CDN up: fast burn", "resolved"],
      ["CDN up: slow burn", "resolved"],
    ]);
  });

  it("is another team's business only there, and outlives the check that saw it", async () => {
    await run(10, 5);
    await evaluate();
    const [fast] = await alerts();
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect(await alerts()).toHaveLength(2);
    expect(await alerts(`?checkId=${check.id}`)).toEqual([]);
    test.team = await test.createTeam();
    expect(await alerts()).toEqual([]);
    expect((await test.call("GET", `/api/alerts/instances/${fast.id}`)).status).toBe(404);
  });

  it("is beside a rule of a check that asks for the burn rate of the SLO", async () => {
    const rule = {
      conditions: [
        { type: "burn_rate", sloId, burnRateThreshold: 2, longWindowMinutes: 60, shortWindowMinutes: 5 },
      ],
    };
    await test.newRule(check, { ...rule, channelIds: [channelId] });
    await run(10, 5);
    await test.services.knex.transaction((trx) => test.evaluator.evaluateNow(trx, [check.key]));
    expect(await alerts(`?checkId=${check.id}`)).toHaveLength(1);
  });
});
