import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";

let test: AlertTest;
let startMs: number;

beforeAll(async () => {
  test = await createAlertTest();
  startMs = test.clock.nowMs();
});
afterAll(() => test.close());

/** The n-th minute. */
const at = (n: number) => startMs + n * 60_000;

async function firing(conditions: unknown[] = [{ type: "consecutive_failures", count: 2 }], more = {}) {
  const check = await test.newCheck();
  const ruleId = await test.newRule(check, { name: "Down", conditions, ...more });
  await test.deliver(check, [
    { slotMs: at(1), status: "failure" },
    {
      slotMs: at(2),
      status: "error",
      traceId: "0123456789abcdef0123456789abcdef",
      detail: { errorMessage: "refused" },
    },
  ]);
  const [instance] = await test.instances(check);
  return { check, ruleId, instance };
}

async function eventTypes(id: string): Promise<string[]> {
  const { body } = await test.call("GET", `/api/alerts/instances/${id}`);
  return body.events.map((event: { type: string }) => event.type);
}

describe("firing", () => {
  it("an instance says which rule, why, and by which results", async () => {
    const { check, ruleId, instance } = await firing();
    const { body } = await test.call("GET", `/api/alerts/instances/${instance.id}`);
    expect(body.instance).toMatchObject({
      ruleId,
      checkId: check.id,
      teamId: test.team.teamId,
      state: "active",
      severity: "critical",
      ruleName: "Down",
      checkName: "Home page",
      muted: false,
      durationMs: null,
      notificationCount: 0,
      acknowledgedAt: null,
      acknowledgedBy: null,
      recoveryResultId: null,
      triggeringTraceId: "0123456789abcdef0123456789abcdef",
      contextJson: {
        summary: "2 failures in a row from US East (Virginia)",
        errorMessage: "refused",
        httpStatusCode: 503,
        conditions: [{ type: "consecutive_failures", threshold: 2, observed: 2 }],
      },
    });
    expect(body.instance.contextJson.conditions[0].resultIds[0]).toBe(body.instance.triggeringResultId);
    expect(body.events).toMatchObject([{ type: "triggered", actorId: null, instanceId: instance.id }]);
    expect(body.events[0].id).toMatch(/^aevt_/);
  });

  it("the notification is in the outbox with the instance", async () => {
    const { check } = await firing();
    expect(await test.notifications(check)).toEqual(["triggered"]);
  });

  it("further failures make neither another instance nor another notification", async () => {
    const { check } = await firing();
    await test.deliver(check, [{ slotMs: at(3), status: "failure" }]);
    expect(await test.instances(check)).toHaveLength(1);
    expect(await test.notifications(check)).toEqual(["triggered"]);
  });

  it("one failure too few fires nothing", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 2 }] });
    await test.deliver(check, [{ slotMs: at(1), status: "failure" }, { slotMs: at(2) }]);
    await test.deliver(check, [{ slotMs: at(3), status: "failure" }]);
    expect(await test.instances(check)).toEqual([]);
  });

  it("a certificate alert recovers when the check is moved to http and succeeds there, not when it fails there", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "ssl_self_signed" }] });
    const states = async () => (await test.instances(check)).map(({ state }) => state);
    await test.deliver(check, [{ slotMs: at(1), tls: { isSelfSigned: true } }]);
    await test.deliver(check, [{ slotMs: at(2) }]);
    await test.deliver(check, [{ slotMs: at(3), status: "error", isPlain: true }]);
    expect(await states()).toEqual(["active"]);
    await test.deliver(check, [{ slotMs: at(4), isPlain: true }]);
    expect(await states()).toEqual(["recovered"]);
  });

  it("a transaction that is rolled back leaves neither result nor transition", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    const failing = test.deliver(
      check,
      [{ slotMs: at(1), status: "failure" }],
      async (trx, group, stored) => {
        await test.evaluator.evaluateStored(trx, group, stored);
        throw new Error("the process dies here");
      },
    );
    await expect(failing).rejects.toThrow("dies");
    expect(await test.instances(check)).toEqual([]);
    expect(await test.services.knex("results").where({ checkKey: check.key })).toEqual([]);
    await test.deliver(check, [{ slotMs: at(1), status: "failure" }]);
    expect(await test.instances(check)).toHaveLength(1);
  });

  it("a rule is judged from the next result on, whichever replica has taken it in", async () => {
    const replica = test.newEvaluator();
    const check = await test.newCheck();
    await test.deliver(check, [{ slotMs: at(1), status: "failure" }], replica.evaluateStored);
    const ruleId = await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    await test.deliver(check, [{ slotMs: at(2), status: "failure" }], replica.evaluateStored);
    expect(await test.instances(check)).toHaveLength(1);
    await test.call("DELETE", `/api/alerts/${ruleId}`);
    await test.deliver(check, [{ slotMs: at(3), status: "failure" }], replica.evaluateStored);
    expect(await test.instances(check)).toMatchObject([{ state: "resolved" }]);
  });

  it("a check that is switched off alerts nobody", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    await test.call("PUT", `/api/checks/${check.id}`, { enabled: false });
    await test.deliver(check, [{ slotMs: at(1), status: "failure" }]);
    expect(await test.instances(check)).toEqual([]);
  });
});

describe("late results", () => {
  it("a failure older than what is there pages nobody", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    await test.deliver(check, [{ slotMs: at(5) }]);
    await test.deliver(check, [{ slotMs: at(4), status: "failure" }]);
    expect(await test.instances(check)).toEqual([]);
  });

  it("a success older than what is there recovers nothing", async () => {
    const { check } = await firing([{ type: "consecutive_failures", count: 1 }]);
    await test.deliver(check, [{ slotMs: at(0) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
  });
});

describe("recovery", () => {
  it("comes with a newer success, and is notified", async () => {
    const { check, instance } = await firing();
    test.clock.advance(60_000);
    await test.deliver(check, [{ slotMs: at(3) }]);
    const { body } = await test.call("GET", `/api/alerts/instances/${instance.id}`);
    expect(body.instance).toMatchObject({ state: "recovered", durationMs: 60_000 });
    expect(body.instance.recoveryResultId).toMatch(/^res_/);
    expect(await eventTypes(instance.id)).toEqual(["triggered", "recovered"]);
    expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
  });

  it("takes as many successes in a row as the rule asks for", async () => {
    const { check } = await firing(undefined, { recovery: { consecutiveSuccesses: 3 } });
    await test.deliver(check, [{ slotMs: at(3) }, { slotMs: at(4) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
    await test.deliver(check, [{ slotMs: at(5) }]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });

  it("takes a success at every location that failed", async () => {
    const check = await test.newCheck({ locations: ["loc_us_east", "loc_eu_west"] });
    const [here, there] = check.locationKeys as [number, number];
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    await test.deliver(check, [
      { slotMs: at(1), locationKey: here, status: "failure" },
      { slotMs: at(1), locationKey: there, status: "failure" },
    ]);
    await test.deliver(check, [{ slotMs: at(2), locationKey: here }]);
    expect(await test.instances(check)).toMatchObject([{ state: "active" }]);
    await test.deliver(check, [{ slotMs: at(2), locationKey: there }]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
  });

  it("a batch that holds the outage and its end tells of both", async () => {
    const check = await test.newCheck();
    await test.newRule(check, { conditions: [{ type: "consecutive_failures", count: 2 }] });
    await test.deliver(check, [
      { slotMs: at(3) },
      { slotMs: at(1), status: "failure" },
      { slotMs: at(2), status: "timeout" },
    ]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }]);
    expect(await test.notifications(check)).toEqual(["triggered", "recovered"]);
  });
});

describe("recovery and a relapse", () => {
  it("in one batch end the instance that was open and begin another", async () => {
    const { check } = await firing();
    await test.deliver(check, [
      { slotMs: at(3) },
      { slotMs: at(4), status: "failure" },
      { slotMs: at(5), status: "failure" },
    ]);
    expect(await test.instances(check)).toMatchObject([{ state: "recovered" }, { state: "active" }]);
    expect(await test.notifications(check)).toEqual(["triggered", "recovered", "triggered"]);
  });
});

describe("what people do", () => {
  const post = (id: string, verb: string, payload?: object, headers?: Record<string, string>) =>
    test.call("POST", `/api/alerts/instances/${id}/${verb}`, payload, headers);

  it("acknowledging works once, by whom is kept, and the channels hear of it", async () => {
    const { check, instance } = await firing();
    const answer = await post(instance.id, "acknowledge", undefined, test.team.bySession);
    expect(answer).toMatchObject({ status: 200, body: { success: true, state: "acknowledged" } });
    const { body } = await test.call("GET", `/api/alerts/instances/${instance.id}`);
    expect(body.instance).toMatchObject({ state: "acknowledged", acknowledgedBy: test.team.userId });
    expect(body.events[1]).toMatchObject({ type: "acknowledged", actorId: test.team.userId });
    expect((await post(instance.id, "acknowledge")).status).toBe(409);
    expect(await test.notifications(check)).toEqual(["triggered", "acknowledged"]);
  });

  it("an acknowledged instance still recovers", async () => {
    const { check, instance } = await firing();
    await post(instance.id, "acknowledge");
    await test.deliver(check, [{ slotMs: at(3) }]);
    expect(await test.instances(check)).toMatchObject([{ id: instance.id, state: "recovered" }]);
  });

  it("resolving says how long it lasted, works once, and the next failure fires anew", async () => {
    const { check, instance } = await firing();
    test.clock.advance(5_000);
    const answer = await post(instance.id, "resolve");
    expect(answer.body).toEqual({ success: true, state: "resolved", durationMs: 5_000 });
    expect((await post(instance.id, "resolve")).status).toBe(409);
    expect((await post(instance.id, "acknowledge")).status).toBe(409);
    expect(await test.notifications(check)).toEqual(["triggered", "resolved"]);
    await test.deliver(check, [{ slotMs: at(3), status: "failure" }]);
    expect(await test.instances(check)).toMatchObject([{ state: "resolved" }, { state: "active" }]);
  });

  it("a recovered instance can't be resolved", async () => {
    const { check, instance } = await firing();
    await test.deliver(check, [{ slotMs: at(3) }]);
    expect((await post(instance.id, "resolve")).status).toBe(409);
    expect((await post(instance.id, "mute")).status).toBe(409);
  });

  it("of two who acknowledge at once one is first", async () => {
    const { instance } = await firing();
    const answers = await Promise.all([post(instance.id, "acknowledge"), post(instance.id, "acknowledge")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("another team finds no such instance", async () => {
    const { instance } = await firing();
    const { byKey } = await test.createTeam();
    for (const verb of ["acknowledge", "resolve", "mute", "unmute"])
      expect((await post(instance.id, verb, undefined, byKey)).status).toBe(404);
    expect((await test.call("GET", `/api/alerts/instances/${instance.id}`, undefined, byKey)).status).toBe(
      404,
    );
    const { body } = await test.call("GET", "/api/alerts/instances", undefined, byKey);
    expect(body.instances).toEqual([]);
  });
});

describe("the list", () => {
  it("filters by state and check, newest first, and pages", async () => {
    const { check, instance } = await firing();
    await test.call("POST", `/api/alerts/instances/${instance.id}/resolve`);
    test.clock.advance(1_000);
    await test.deliver(check, [{ slotMs: at(3), status: "failure" }]);
    const list = async (query: string) =>
      (await test.call("GET", `/api/alerts/instances?checkId=${check.id}${query}`)).body;
    expect(await list("")).toMatchObject({
      instances: [{ state: "active" }, { state: "resolved" }],
      limit: 50,
      offset: 0,
    });
    expect((await list("&state=resolved,recovered")).instances).toMatchObject([{ id: instance.id }]);
    expect((await list("&limit=1&offset=1")).instances).toMatchObject([{ id: instance.id }]);
    expect((await test.call("GET", "/api/alerts/instances?state=open")).status).toBe(400);
    expect((await test.call("GET", "/api/alerts/instances?limit=201")).status).toBe(400);
  });
});

describe("what ends with its rule or check", () => {
  it.each([
    ["deleting the rule", (ruleId: string) => test.call("DELETE", `/api/alerts/${ruleId}`)],
    ["switching it off", (ruleId: string) => test.call("PUT", `/api/alerts/${ruleId}`, { enabled: false })],
  ])("%s resolves what is open, and tells", async (_name, end) => {
    const { check, ruleId } = await firing();
    expect((await end(ruleId)).status).toBe(200);
    expect(await test.instances(check)).toMatchObject([{ state: "resolved" }]);
    expect(await test.notifications(check)).toEqual(["triggered", "resolved"]);
  });

  it("deleting the check tells that it is over, so that no page stays open", async () => {
    const { check, instance } = await firing();
    expect((await test.call("DELETE", `/api/checks/${check.id}`)).status).toBe(200);
    const notified = await test.services
      .knex("notifications")
      .where({ subjectId: instance.id })
      .orderBy("key");
    expect(notified.map(({ kind }) => kind)).toEqual(["triggered", "resolved"]);
    expect((await test.call("GET", `/api/alerts/instances/${instance.id}`)).status).toBe(404);
  });
});

describe("the list of instances", () => {
  it("is restricted by severity, label of the check, and time of the beginning", async () => {
    const { check, instance } = await firing();
    await test.services.knex("checkLabels").insert({ checkKey: check.key, label: "team:pay" });
    const listed = async (query: string) => {
      const { status, body } = await test.call("GET", `/api/alerts/instances?checkId=${check.id}&${query}`);
      expect(status).toBe(200);
      return body.instances.map(({ id }: { id: string }) => id);
    };
    const began = Date.parse(instance.startedAt);
    const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    const cases: [string, string[]][] = [
      ["severity=critical,info", [instance.id]],
      ["severity=warning", []],
      ["label=team:pay", [instance.id]],
      ["label=team", []],
      [`from=${iso(began)}`, [instance.id]],
      [`from=${iso(began + 1)}`, []],
      [`to=${iso(began + 1)}`, [instance.id]],
      [`to=${iso(began)}`, []],
      [`state=active&severity=critical&label=team:pay&from=${iso(began)}`, [instance.id]],
    ];
    for (const [query, ids] of cases) expect([query, await listed(query)]).toEqual([query, ids]);
    expect((await test.call("GET", "/api/alerts/instances?severity=loud")).status).toBe(400);
  });
});
