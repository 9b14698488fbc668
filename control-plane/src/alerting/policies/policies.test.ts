import type { AlertPolicy, AlertRule } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { anMcpCheck } from "../../../test-support/builders.ts";
import { registerChangeRoutes } from "../../accounts/change-log/routes.ts";
import { registerLabelRoutes } from "../../checks/labels/routes.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { alertingDependents } from "../check-dependents.ts";
import { applyPolicy } from "./apply-policy.ts";
import { endRules } from "./end-rules.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerLabelRoutes(app, services, [alertingDependents]);
      registerChangeRoutes(app, services);
      registerChannelRoutes(app, services);
    },
  });
});
afterAll(() => test.close());

const PATH = "/api/alert-policies";
let label: string;
let labelCount = 0;
beforeEach(() => {
  label = `team:${++labelCount}`;
});

const onFailure = [{ type: "consecutive_failures", count: 1 }];
const create = (body: object = {}) =>
  test.call("POST", PATH, {
    name: `Policy of ${label}`,
    labels: [label],
    conditions: onFailure,
    channelIds: [test.channelId],
    ...body,
  });
const created = async (body?: object): Promise<AlertPolicy> => {
  const answer = await create(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.policy;
};
const setLabels = async (check: AlertTestCheck, ...labels: string[]) => {
  expect((await test.call("PUT", `/api/checks/${check.id}/labels`, { labels })).status).toBe(200);
};
const labeledCheck = async (...labels: string[]) => {
  const check = await test.newCheck();
  await setLabels(check, ...(labels.length > 0 ? labels : [label]));
  return check;
};
const rulesOf = async (check: AlertTestCheck): Promise<AlertRule[]> =>
  (await test.call("GET", `/api/checks/${check.id}/alerts`)).body.alerts;
const fails = (check: AlertTestCheck) =>
  test.deliver(check, [{ slotMs: test.clock.nowMs(), status: "failure" }]);
const statesOf = async (check: AlertTestCheck) => (await test.instances(check)).map(({ state }) => state);
const ended = () => endRules(test.services.knex, { atMs: test.clock.nowMs() });

describe("an alert policy", () => {
  it("gives every check with its labels a rule that follows it, and no other check", async () => {
    const [first, other] = [await labeledCheck(label, "prod"), await labeledCheck("prod")];
    const policy = await created({
      labels: [label, "prod"],
      confirm: true,
      recovery: { consecutiveSuccesses: 3 },
    });
    expect(policy).toMatchObject({ checkCount: 1, isApplied: true, enabled: true, updatedAt: null });
    expect(await rulesOf(first)).toEqual([
      expect.objectContaining({
        name: policy.name,
        policyId: policy.id,
        sloId: null,
        conditions: policy.conditions,
        channelIds: [test.channelId],
        confirm: true,
        recovery: { consecutiveSuccesses: 3 },
      }),
    ]);
    expect(await rulesOf(other)).toEqual([]);
  });

  it("fires for a check that got its label later, and tells its channel", async () => {
    const check = await test.newCheck();
    await created();
    await fails(check);
    expect(await statesOf(check)).toEqual([]);
    await setLabels(check, label);
    test.clock.advance(60_000);
    await fails(check);
    expect(await statesOf(check)).toEqual(["active"]);
    expect(await test.notifications(check)).toEqual(["triggered"]);
  });

  it("resolves what is open where a check loses the label, tells of it, and goes on with the same rule when it is back", async () => {
    const check = await labeledCheck();
    await created();
    const [rule] = await rulesOf(check);
    await fails(check);
    await setLabels(check);
    await ended();
    expect(await statesOf(check)).toEqual(["resolved"]);
    expect(await test.notifications(check)).toEqual(["triggered", "resolved"]);
    expect(await rulesOf(check)).toEqual([]);
    await setLabels(check, label);
    expect((await rulesOf(check)).map(({ id }) => id)).toEqual([rule?.id]);
    test.clock.advance(60_000);
    await fails(check);
    expect(await statesOf(check)).toEqual(["resolved", "active"]);
  });

  it("leaves an alert open when the label is back before the rule's end was carried out", async () => {
    const check = await labeledCheck();
    await created();
    await fails(check);
    await setLabels(check);
    await setLabels(check, label);
    await ended();
    expect(await statesOf(check)).toEqual(["active"]);
    expect((await rulesOf(check))[0]?.channelIds).toEqual([test.channelId]);
  });

  it("changes its rules with itself, and counts no change that changes nothing", async () => {
    const check = await labeledCheck();
    const { id, ...policy } = await created();
    const put = (body: object) => test.call("PUT", `${PATH}/${id}`, body);
    test.clock.advance(1_000);
    const conditions = [{ type: "consecutive_failures", count: 4 }];
    expect((await put({ name: `Renamed ${label}`, conditions })).body.policy).toMatchObject({
      name: `Renamed ${label}`,
      checkCount: 1,
      isApplied: true,
    });
    expect(await rulesOf(check)).toMatchObject([{ name: `Renamed ${label}`, conditions }]);
    const revisions = () => test.services.knex("alertRules").where({ checkKey: check.key }).pluck("revision");
    const before = await revisions();
    expect((await put({ name: `Renamed ${label}`, labels: policy.labels })).status).toBe(200);
    expect(await revisions()).toEqual(before);
    const { changes } = (await test.call("GET", `/api/changes?type=alert_policy&resourceId=${id}`)).body;
    expect(changes.map(({ action }: { action: string }) => action)).toEqual(["updated", "created"]);
  });

  it("moves to other checks with its labels", async () => {
    const [first, second] = [await labeledCheck(label), await labeledCheck(`${label}b`)];
    const { id } = await created();
    await fails(first);
    await test.call("PUT", `${PATH}/${id}`, { labels: [`${label}b`] });
    expect([await rulesOf(first), (await rulesOf(second)).length]).toEqual([[], 1]);
    expect(await statesOf(first)).toEqual(["resolved"]);
  });

  it("has no rules while it is off, and the same ones when it is on again", async () => {
    const check = await labeledCheck();
    const { id } = await created();
    const before = await rulesOf(check);
    await fails(check);
    expect((await test.call("PUT", `${PATH}/${id}`, { enabled: false })).body.policy).toMatchObject({
      enabled: false,
      checkCount: 0,
    });
    expect([await rulesOf(check), await statesOf(check)]).toEqual([[], ["resolved"]]);
    await test.call("PUT", `${PATH}/${id}`, { enabled: true });
    expect((await rulesOf(check)).map((rule) => rule.id)).toEqual(before.map((rule) => rule.id));
  });

  it("ends with its rules when it is deleted: the alert is resolved, its channel notified and free again, its name free", async () => {
    const channel = (
      await test.call("POST", "/api/notification-channels", {
        name: `Of ${label}`,
        channel: { type: "webhook", url: "http://127.0.0.1:9/" },
      })
    ).body.channel.id;
    const check = await labeledCheck();
    const { id } = await created({ channelIds: [channel] });
    const inUse = await test.call("DELETE", `/api/notification-channels/${channel}`);
    expect([inUse.status, inUse.body.error]).toEqual([
      409,
      expect.stringContaining(`alert policy "Policy of ${label}"`),
    ]);
    await fails(check);
    expect((await test.call("DELETE", `${PATH}/${id}`)).body).toEqual({ success: true });
    expect([await rulesOf(check), await statesOf(check)]).toEqual([[], ["resolved"]]);
    const [{ ruleName, ruleId }] = (await test.call("GET", `/api/alerts/instances?checkId=${check.id}`)).body
      .instances;
    expect([ruleName, ruleId]).toEqual([`Policy of ${label}`, expect.stringMatching(/^alert_/)]);
    expect((await test.call("DELETE", `${PATH}/${id}`)).status).toBe(404);
    expect((await test.call("DELETE", `/api/notification-channels/${channel}`)).status).toBe(200);
    expect(await test.services.knex("alertPolicies").where({ id })).toEqual([]);
    await created();
  });

  it("goes with a check that is deleted", async () => {
    const check = await labeledCheck();
    const { id } = await created();
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.call("GET", `${PATH}/${id}`)).body.policy.checkCount).toBe(0);
  });

  it("gives no rule to a check for which a condition can never hold, until the check changes", async () => {
    const conditions = [{ type: "ssl_expiry" }];
    const httpConfig = { url: "http://127.0.0.1:9/", followRedirects: false };
    const check = await test.newCheck({ httpConfig });
    await setLabels(check, label);
    const policy = await created({ conditions });
    expect([policy.checkCount, await rulesOf(check)]).toEqual([0, []]);
    const put = (url: string) =>
      test.call("PUT", `/api/checks/${check.id}`, { configJson: { ...httpConfig, url } });
    expect((await put("https://127.0.0.1:9/")).status).toBe(200);
    expect((await rulesOf(check)).map(({ policyId }) => policyId)).toEqual([policy.id]);
    expect((await put("http://127.0.0.1:9/")).status).toBe(200);
    expect(await rulesOf(check)).toEqual([]);
  });

  it("is previewed: the checks by name, with the reason of those that get no rule", async () => {
    const [web, mcp] = [
      await test.newCheck({ name: "B web" }),
      await test.newCheck({ ...anMcpCheck(), name: "A mcp" }),
    ];
    for (const check of [web, mcp]) await setLabels(check, label);
    const preview = (body: object) => test.call("POST", `${PATH}/preview`, { labels: [label], ...body });
    expect((await preview({})).body).toEqual({
      checkCount: 2,
      checks: [
        { id: mcp.id, name: "A mcp", refusal: null },
        { id: web.id, name: "B web", refusal: null },
      ],
    });
    const { checks } = (await preview({ conditions: [{ type: "mcp_schema_drift" }] })).body;
    expect(checks[1].refusal).toContain("mcp_schema_drift can never hold here");
    expect(checks[0].refusal).toBeNull();
    expect(
      (await test.call("GET", PATH)).body.policies.map(({ labels }: AlertPolicy) => labels),
    ).not.toContainEqual([label]);
  });

  it.each([
    ["no label", { labels: [] }, "labels"],
    ["a label that is none", { labels: ["a b"] }, "labels"],
    ["a label twice", { labels: ["a", "a"] }, "labels"],
    ["no condition", { conditions: [] }, "conditions"],
    ["no channel", { channelIds: [] }, "channelIds"],
    ["an unknown channel", { channelIds: ["nch_00000000000000000000000000"] }, "channelIds"],
    ["no name", { name: "" }, "name"],
    ["an unknown field", { severity: "high" }, "severity"],
  ])("with %s is 400, names the field, and changes nothing", async (_title, body, field) => {
    const check = await labeledCheck();
    const answer = await create(body);
    expect([answer.status, Object.keys(answer.body.details.fieldErrors)]).toEqual([400, [field]]);
    expect(await rulesOf(check)).toEqual([]);
  });

  it("can't be about an SLO's budget", async () => {
    const burnRate = { burnRateThreshold: 2, longWindowMinutes: 60, shortWindowMinutes: 5 };
    const { id } = await created();
    for (const answer of [
      await create({
        name: "x",
        conditions: [{ type: "burn_rate", sloId: "slo_01jd3kw0000000000000000000", ...burnRate }],
      }),
      await test.call("PUT", `${PATH}/${id}`, {
        conditions: [{ type: "burn_rate", sloId: "slo_01jd3kw0000000000000000000", ...burnRate }],
      }),
    ]) {
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain("an SLO generates rules of its own");
    }
  });

  it("has a name of its own: another one of the name is a conflict", async () => {
    await created();
    const other = await created({ name: `Another ${label}` });
    expect((await create()).status).toBe(409);
    expect((await test.call("PUT", `${PATH}/${other.id}`, { name: `Policy of ${label}` })).status).toBe(409);
  });

  it("owns its rules: they can't be changed or deleted by themselves, and are no rules that people wrote", async () => {
    const check = await labeledCheck();
    await created();
    const [rule] = await rulesOf(check);
    for (const answer of [
      await test.call("PUT", `/api/alerts/${rule?.id}`, { enabled: false }),
      await test.call("DELETE", `/api/alerts/${rule?.id}`),
    ])
      expect([answer.status, answer.body.error]).toEqual([409, expect.stringContaining("change the policy")]);
    expect((await test.call("GET", `/api/alerts/${rule?.id}`)).body.alert.policyId).toBe(rule?.policyId);
    expect(JSON.stringify((await test.call("GET", "/api/alerts")).body)).not.toContain(rule?.id);
  });

  it("is refused with 412 when somebody else has changed it meanwhile", async () => {
    const { id } = await created();
    const read = await test.call("GET", `${PATH}/${id}`);
    test.clock.advance(1_000);
    await test.call("PUT", `${PATH}/${id}`, { enabled: false });
    const headers = { ...test.team.byKey, "if-match": String(read.headers.etag) };
    expect((await test.call("PUT", `${PATH}/${id}`, { enabled: true }, headers)).status).toBe(412);
    expect((await test.call("DELETE", `${PATH}/${id}`, undefined, headers)).status).toBe(412);
  });

  it("is another team's: not found, and none of its checks", async () => {
    const check = await labeledCheck();
    const { id } = await created();
    const { byKey } = await test.createTeam();
    for (const [method, body] of [["GET"], ["PUT", { enabled: false }], ["DELETE"]] as const)
      expect((await test.call(method, `${PATH}/${id}`, body, byKey)).status).toBe(404);
    expect((await test.call("GET", PATH, undefined, byKey)).body.policies).toEqual([]);
    expect((await test.call("POST", `${PATH}/preview`, { labels: [label] }, byKey)).body.checkCount).toBe(0);
    expect((await rulesOf(check)).length).toBe(1);
  });
});

describe("the rules of a policy", () => {
  it("are made part by part, each check once, also when the work is interrupted and done twice", async () => {
    const { knex } = test.services;
    const checks = [];
    for (let i = 0; i < 5; i++) checks.push(await labeledCheck());
    const { id } = await created();
    const { key } = await knex("alertPolicies").where({ id }).first("key");
    await knex("alertPolicies").where({ id }).update({ revision: 7, isApplied: false });
    const options = { atMs: test.clock.nowMs(), checksAtOnce: 2 };
    expect(await applyPolicy(knex, key, { ...options, withinMs: 0 })).toBe(false);
    const ending = new AbortController();
    ending.abort();
    expect(await applyPolicy(knex, key, { ...options, signal: ending.signal })).toBe(false);
    await Promise.all([applyPolicy(knex, key, options), applyPolicy(knex, key, options)]);
    const rows = await knex("alertRules")
      .where({ policyKey: key })
      .select("checkKey", "policyRevision", "deletedAt");
    expect(rows.length).toBe(5);
    expect(rows.every((row) => row.policyRevision === 7 && row.deletedAt === null)).toBe(true);
    await knex("alertPolicies").where({ id }).update({ revision: 8, isApplied: false, enabled: false });
    expect(await applyPolicy(knex, key, options)).toBe(true);
    expect(await knex("alertRules").where({ policyKey: key }).whereNull("deletedAt")).toEqual([]);
  });

  it("are right whichever comes first, a label or the policy, when both come at once", async () => {
    for (let round = 0; round < 10; round++) {
      const check = await test.newCheck();
      const mine = `${label}r${round}`;
      const policy = { name: mine, labels: [mine], conditions: onFailure, channelIds: [test.channelId] };
      const [answer] = await Promise.all([test.call("POST", PATH, policy), setLabels(check, mine)]);
      expect(answer.status).toBe(201);
      expect((await rulesOf(check)).length).toBe(1);
    }
  });

  it("end without a trace left open when a result was being judged meanwhile", async () => {
    for (let round = 0; round < 10; round++) {
      const check = await labeledCheck();
      const { id } = await created({ name: `${label} ${round}` });
      await Promise.all([fails(check), test.call("DELETE", `${PATH}/${id}`)]);
      await ended();
      expect((await statesOf(check)).filter((state) => state === "active")).toEqual([]);
    }
  });
});
