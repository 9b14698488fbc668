import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { autoResolve } from "../incidents/auto-resolve.ts";
import { escalateUnacknowledged } from "./escalate.ts";
import { registerIncidentPolicyRoutes } from "./routes.ts";
import { readDueSteps } from "./store.ts";

const PATH = "/api/incident-policy";
const MINUTE = 60_000;

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest({
    register: (app, services) => {
      registerChannelRoutes(app, services);
      registerIncidentPolicyRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const put = (steps: unknown) => test.call("PUT", PATH, { steps });

/** Sets steps at 5 (chat), 15 (paging) and 60 minutes (both). */
async function threeSteps(): Promise<void> {
  const { chat, paging } = test.channels;
  const answer = await put([
    { afterMinutes: 5, channelIds: [chat] },
    { afterMinutes: 15, channelIds: [paging] },
    { afterMinutes: 60, channelIds: [chat, paging] },
  ]);
  expect(answer.status).toBe(200);
}

/** Opens an incident whose rule names no channel, and returns its id. */
async function anIncident(): Promise<string> {
  const all = test.channels;
  test.channels = { webhook: all.webhook } as typeof all;
  const check = await test.watched("https://a.example/");
  test.channels = all;
  await test.fail(check);
  await test.process();
  return (await test.incidents())[0].id;
}

/** Lets minutes pass, and looks for due steps on two replicas at once. */
async function pass(minutes: number): Promise<void> {
  test.clock.advance(minutes * MINUTE);
  await Promise.all([escalateUnacknowledged(test.services), escalateUnacknowledged(test.services)]);
}

const STEP = "incident.unacknowledged";
const stepsTo = async (channel: "chat" | "paging" | "webhook") =>
  (await test.notifiedTo(channel)).filter((kind) => kind === STEP).length;

it("a change that its author made of another version is refused, and one by its version is not", async () => {
  const etag = async () => String((await test.call("GET", PATH)).headers.etag);
  const put = (afterMinutes: number, ifMatch: string) => {
    const steps = [{ afterMinutes, channelIds: [test.channels.chat] }];
    return test.call("PUT", PATH, { steps }, { ...test.team.byKey, "if-match": ifMatch });
  };
  const none = await etag();
  expect((await put(5, none)).status).toBe(200);
  test.clock.advance(1);
  expect((await put(6, none)).status).toBe(412);
  const first = await etag();
  expect((await put(7, first)).status).toBe(200);
  test.clock.advance(1);
  const remove = (ifMatch: string) =>
    test.call("DELETE", PATH, undefined, { ...test.team.byKey, "if-match": ifMatch });
  expect((await remove(first)).status).toBe(412);
  expect((await test.call("GET", PATH)).body.incidentPolicy.steps).toMatchObject([{ afterMinutes: 7 }]);
  expect((await remove(await etag())).status).toBe(200);
});

describe("an incident that nobody acknowledges", () => {
  it("notifies the channels of each step once, with the minutes, over two replicas", async () => {
    await threeSteps();
    const id = await anIncident();
    await pass(4.99);
    expect(await test.notifiedTo("chat")).toEqual([]);
    await pass(0.01);
    await pass(1);
    expect(await test.notifiedTo("chat")).toEqual([STEP]);
    expect(await test.notifiedTo("paging")).toEqual([]);
    await pass(9);
    expect(await test.notifiedTo("paging")).toEqual([STEP]);
    await pass(45);
    await pass(90);
    expect([await stepsTo("chat"), await stepsTo("paging"), await stepsTo("webhook")]).toEqual([2, 2, 3]);
    const { events } = await test.detail(id);
    const steps = events.filter(({ eventType }: { eventType: string }) => eventType === "unacknowledged");
    expect(steps.map((event: { payload: object }) => event.payload)).toMatchObject(
      [5, 15, 60].map((unacknowledgedMinutes) => ({ unacknowledgedMinutes })),
    );
  });

  it("is notified of by the newest due step only after an outage", async () => {
    await threeSteps();
    await anIncident();
    await pass(59);
    await pass(0);
    expect([await stepsTo("chat"), await stepsTo("paging")]).toEqual([0, 1]);
    await pass(1);
    expect([await stepsTo("chat"), await stepsTo("paging")]).toEqual([1, 2]);
  });

  it.each(["acknowledge", "close"])(
    "ends the steps by %s, of which a channel that was notified hears",
    async (action) => {
      await threeSteps();
      const id = await anIncident();
      await pass(15);
      await test.act(id, action);
      await pass(90);
      const kind = action === "close" ? "incident.closed" : "incident.acknowledged";
      expect(await test.notifiedTo("paging")).toEqual([STEP, kind]);
      expect(await test.notifiedTo("chat")).toEqual([]);
    },
  );

  it("ends the steps when it resolves by itself", async () => {
    await threeSteps();
    const check = await test.watched("https://a.example/");
    await test.fail(check);
    await test.process();
    await pass(1);
    await test.succeed(check);
    await test.process();
    await pass(4);
    test.clock.advance(2 * MINUTE);
    await autoResolve(test.services);
    await pass(90);
    expect(await stepsTo("chat")).toBe(1);
    expect(await stepsTo("paging")).toBe(0);
  });

  it("has somebody once each of its open alerts is acknowledged, and not while one is left", async () => {
    await threeSteps();
    const checks = [await test.watched("https://a.example/"), await test.watched("https://a.example/b")];
    for (const check of checks) await test.fail(check);
    await test.process();
    const alerts = async () => (await test.call("GET", "/api/alerts/instances?state=active")).body.instances;
    const acknowledge = async ({ id }: { id: string }) => {
      expect((await test.call("POST", `/api/alerts/instances/${id}/acknowledge`)).status).toBe(200);
      await test.process();
    };
    const [first, second] = await alerts();
    await acknowledge(first);
    await pass(5);
    const opening = await stepsTo("chat");
    expect(opening).toBeGreaterThan(0);
    await acknowledge(second);
    await pass(10);
    expect([await stepsTo("chat"), await stepsTo("paging")]).toEqual([opening, 0]);
    const { body } = await test.call("GET", "/api/incidents");
    expect(body.incidents).toMatchObject([{ state: "open" }]);
    await test.services
      .knex("incidentMembers")
      .where({ instanceId: first.id })
      .update({ acknowledgedAt: null });
    await pass(0);
    expect([await stepsTo("chat"), await stepsTo("paging")]).toEqual([opening, 1]);
  });

  it("begins the steps anew when it is reopened", async () => {
    await threeSteps();
    const id = await anIncident();
    await pass(6);
    await test.act(id, "close");
    await pass(100);
    await test.act(id, "reopen");
    await pass(4);
    expect(await stepsTo("chat")).toBe(1);
    await pass(1);
    expect(await stepsTo("chat")).toBe(2);
  });

  it("is open when a policy is set: the newest due step follows, and none that is earlier later on", async () => {
    await anIncident();
    await pass(30);
    await threeSteps();
    await pass(0);
    expect([await stepsTo("chat"), await stepsTo("paging")]).toEqual([0, 1]);
    await put([{ afterMinutes: 10, channelIds: [test.channels.chat] }]);
    await pass(5);
    expect(await stepsTo("chat")).toBe(0);
    expect((await test.call("DELETE", PATH)).body).toEqual({ success: true });
    await pass(90);
    expect([await stepsTo("chat"), await stepsTo("paging")]).toEqual([0, 1]);
  });

  it("comes to a step that yields no channel: the log says so, and later steps are carried out", async () => {
    const { chat } = test.channels;
    await put([
      { afterMinutes: 5, channelIds: [chat] },
      { afterMinutes: 15, channelIds: [chat] },
    ]);
    const { knex } = test.services;
    const steps = [
      { afterMinutes: 5, channelIds: [], rotaId: newId("rota") },
      { afterMinutes: 15, channelIds: [chat] },
    ];
    await knex("incidentPolicies")
      .where({ teamId: test.team.teamId })
      .update({ steps: JSON.stringify(steps) });
    const incidentId = await anIncident();
    const warnings: unknown[] = [];
    const log = {
      warn: (...given: unknown[]) => void warnings.push(given),
    } as unknown as typeof test.services.log;
    for (const minutes of [5, 10]) {
      test.clock.advance(minutes * MINUTE);
      await escalateUnacknowledged({ ...test.services, log });
    }
    expect(warnings).toEqual([
      [
        expect.objectContaining({ incidentId, afterMinutes: 5, rotaId: steps[0]?.rotaId }),
        expect.stringContaining("notifies no channel"),
      ],
    ]);
    expect(await stepsTo("chat")).toBe(1);
  });

  it("of another team is none of the policy's", async () => {
    await threeSteps();
    const own = { team: test.team, channels: test.channels };
    await test.beginAnew();
    await anIncident();
    await pass(100);
    expect(await stepsTo("webhook")).toBe(0);
    Object.assign(test, own);
    expect(await stepsTo("chat")).toBe(0);
  });
});

it("lets teams take turns: the incidents of one never keep the steps of another waiting", async () => {
  const openOnes = async (count: number) => {
    await test.beginAnew();
    await put([{ afterMinutes: 5, channelIds: [test.channels.chat] }]);
    const rows = Array.from({ length: count }, () => ({
      id: newId("incident"),
      teamId: test.team.teamId,
      severity: "critical",
      title: "Down",
      state: "open",
      dimensions: [],
      fingerprintHash: "hash",
      hypothesis: JSON.stringify({ summary: "Down", confidence: 0.5, correlationDimensionsMatched: [] }),
      observations: "[]",
      memberCount: 0,
      openMemberCount: 0,
      openedAt: new Date(test.now()),
    }));
    await test.services.knex("incidents").insert(rows);
    return test.team.teamId;
  };
  // More than are carried out between two looks for what is due.
  const large = await openOnes(80);
  const small = await openOnes(3);
  const now = new Date(test.now() + 5 * MINUTE);
  const order = (await readDueSteps(test.services.knex, { now, limit: 10 }))
    .map(({ teamId }) => teamId)
    .filter((teamId) => teamId === large || teamId === small);
  expect(order.filter((teamId) => teamId === small)).toHaveLength(3);
  expect(order.slice(0, 6)).toEqual([large, small, large, small, large, small]);
  test.clock.advance(5 * MINUTE);
  await Promise.all([escalateUnacknowledged(test.services), escalateUnacknowledged(test.services)]);
  const { rows } = await test.services.knex.raw(
    `SELECT team_id, count(*)::integer FROM incident_escalations e JOIN incidents i ON i.key = e.incident_key
     WHERE team_id = ANY (?) GROUP BY 1 ORDER BY 2`,
    [[large, small]],
  );
  expect(rows).toEqual([
    { team_id: small, count: 3 },
    { team_id: large, count: 80 },
  ]);
  // Theirs are not for other tests of this file, which look at all teams.
  await test.services.knex("incidents").whereIn("teamId", [large, small]).delete();
});

describe("the policy", () => {
  it("is read as it was set, changed with entries in the change log, and removed", async () => {
    const { teamId } = test.team;
    const none = { teamId, steps: [], updatedAt: null };
    expect((await test.call("GET", PATH)).body.incidentPolicy).toEqual(none);
    const steps = [{ afterMinutes: 1, channelIds: [test.channels.chat] }];
    expect((await put(steps)).body.incidentPolicy).toEqual({
      teamId,
      steps,
      updatedAt: new Date(test.now()).toISOString(),
    });
    const { body } = await test.call("GET", PATH);
    expect(body.incidentPolicy.steps).toEqual(steps);
    await test.call("PUT", PATH, body.incidentPolicy);
    await put([{ afterMinutes: 1_440, channelIds: [test.channels.chat] }]);
    await put([]);
    await test.call("DELETE", PATH);
    const changes = await test.services
      .knex("changes")
      .where({ teamId: test.team.teamId, type: "incident_policy" })
      .orderBy("key");
    expect(changes.map(({ action }) => action)).toEqual(["created", "updated", "deleted"]);
    const audited = await test.services
      .knex("auditEntries")
      .where({ teamId: test.team.teamId, action: "incident_policy.changed" });
    expect(audited).toHaveLength(3);
    expect((await test.call("GET", PATH)).body.incidentPolicy).toEqual(none);
  });

  it("keeps the channels that it names from being deleted", async () => {
    await threeSteps();
    const path = `/api/notification-channels/${test.channels.chat}`;
    const refused = await test.call("DELETE", path);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringContaining("used by the incident policy"),
    ]);
    await put([]);
    expect((await test.call("DELETE", path)).status).toBe(200);
  });

  it("refuses what can't be", async () => {
    const { chat } = test.channels;
    const step = (afterMinutes: unknown, channelIds: unknown = [chat]) => ({ afterMinutes, channelIds });
    const foreign = test.channels.paging;
    await test.beginAnew();
    const own = test.channels.chat;
    const given: [unknown, string][] = [
      [[step(0, [own])], "smallest is 1"],
      [[step(1_441, [own])], "largest is 1440"],
      [[step(1.5, [own])], "afterMinutes"],
      [[step(5, [own]), step(5, [own])], "expected more than the 5 of the step before it"],
      [[step(5, [own]), step(4, [own])], "expected more than the 5"],
      [[step(5, [])], "at least one channel, or a rotaId"],
      [[{ afterMinutes: 5 }], "at least one channel, or a rotaId"],
      [[step(1, [own]), { afterMinutes: 5, rotaId: newId("rota") }], "steps[1].rotaId: no such rota"],
      [[step(5, [own, own])], "channelIds"],
      [[step(1, [own]), step(5, [own, foreign])], `steps[1].channelIds: no such channel: ${foreign}`],
      [Array.from({ length: 11 }, (_, i) => step(i + 1, [own])), "at most 10 steps"],
      [[step(5, [test.channels.alertsOnly])], "with incidentSubscribed: false no incident event is sent"],
      [[{ ...step(5, [own]), rota: "x" }], 'unknown field "rota"'],
      [undefined, "steps"],
    ];
    for (const [steps, reason] of given) {
      const answer = await put(steps);
      expect([answer.status, JSON.stringify(answer.body).replaceAll("\\", "")]).toEqual([
        400,
        expect.stringContaining(reason),
      ]);
    }
    expect((await test.call("GET", PATH)).body.incidentPolicy.steps).toEqual([]);
  });
});
