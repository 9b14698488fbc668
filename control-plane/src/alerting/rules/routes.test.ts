import { newId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { anMcpCheck } from "../../../test-support/builders.ts";
import { registerThirdPartyPatternRoutes } from "../../checks/third-party-patterns/routes.ts";
import { registerSloRoutes } from "../slos/routes.ts";

let test: AlertTest;
let check: AlertTestCheck;
const conditions = [{ type: "consecutive_failures" }];

beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerSloRoutes(app, services);
      registerThirdPartyPatternRoutes(app, services);
    },
  });
  check = await test.newCheck();
});
afterAll(() => test.close());

const list = async (of = check) => (await test.call("GET", `/api/checks/${of.id}/alerts`)).body.alerts;
const create = (body: object, of = check) => test.call("POST", `/api/checks/${of.id}/alerts`, body);
const newSlo = async (of = check): Promise<string> => {
  const body = { name: "Up", checkId: of.id, targetBasisPoints: 9990, windowDays: 7 };
  return (await test.call("POST", "/api/slos", body)).body.slo.id;
};
/** An SLO of no check, of another team. */
const foreignSlo = async (): Promise<string> => {
  const { byKey } = await test.createTeam();
  const pattern = { name: "CDN", hostPattern: "cdn.example.com" };
  const patternId = (await test.call("POST", "/api/third-party-patterns", pattern, byKey)).body.pattern.id;
  const body = { name: "Up", sloType: "third_party", patternId, targetBasisPoints: 9990, windowDays: 7 };
  return (await test.call("POST", "/api/slos", body, byKey)).body.slo.id;
};
const burnRate = (sloId: string) => ({
  type: "burn_rate",
  sloId,
  burnRateThreshold: 14.4,
  longWindowMinutes: 60,
  shortWindowMinutes: 5,
});

it("the rules of all checks are one list; another team sees none of them", async () => {
  const [first, second] = [await test.newCheck(), await test.newCheck()];
  const body = { name: "r", conditions, channelIds: [test.channelId] };
  const ids = [(await create(body, first)).body.id, (await create(body, second)).body.id];
  const all = async () => (await test.call("GET", "/api/alerts")).body.alerts;
  const own = (await all()).filter((rule: { id: string }) => ids.includes(rule.id));
  const { channels: _channels, ...rule } = (await list(first))[0];
  expect(own).toEqual([rule, expect.objectContaining({ id: ids[1], checkId: second.id })]);
  await test.call("DELETE", `/api/alerts/${ids[0]}`);
  expect(JSON.stringify(await all())).not.toContain(ids[0]);
  const { byKey } = await test.createTeam();
  expect((await test.call("GET", "/api/alerts", undefined, byKey)).body.alerts).toEqual([]);
});

describe("creating a rule", () => {
  it("answers its id; the list shows it with defaults and channels", async () => {
    const own = await test.newCheck();
    const { status, body } = await create({ conditions, channelIds: [test.channelId] }, own);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["id"]);
    expect(await list(own)).toMatchObject([
      {
        id: body.id,
        checkId: own.id,
        name: null,
        enabled: true,
        conditions: [{ type: "consecutive_failures", count: 2 }],
        channelIds: [test.channelId],
        channels: [{ id: test.channelId, type: "webhook", config: { url: "http://127.0.0.1:9/hook" } }],
        confirm: false,
        recovery: { consecutiveSuccesses: 1 },
        updatedAt: null,
      },
    ]);
  });

  it.each([
    ["no conditions", { conditions: [], channelIds: ["nch_x"] }, "conditions", "at least one condition"],
    ["no channels", { conditions, channelIds: [] }, "channelIds", "at least one channel"],
    ["channels left out", { conditions }, "channelIds", "required"],
    [
      "more failures than runs",
      { conditions: [{ type: "failure_ratio", failures: 3, total: 2 }], channelIds: ["nch_x"] },
      "conditions",
      "at most total",
    ],
    [
      "a burn rate of no SLO",
      {
        conditions: [burnRate("x")],
        channelIds: ["nch_x"],
      },
      "conditions",
      "expected an id of the form slo_...",
    ],
    [
      "an unknown field",
      { conditions, channelIds: ["nch_x"], severity: "info" },
      "severity",
      "unknown field",
    ],
  ])("%s is refused", async (_name, body, field, message) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details.fieldErrors[field].join("\n")).toContain(message);
  });

  it("channels that are not there are named, another team's among them", async () => {
    const stranger = await test.createTeam();
    const foreign = await test.newChannel(stranger.teamId);
    const unknown = newId("channel");
    const answer = await create({ conditions, channelIds: [test.channelId, foreign, unknown] });
    expect(answer.status).toBe(400);
    expect(answer.body.details.fieldErrors.channelIds).toEqual([`no such channel: ${foreign}, ${unknown}`]);
  });

  it("SLOs that are not there are named, another team's and a deleted one among them; a change too is refused", async () => {
    const own = await test.newCheck();
    const ownSlo = await newSlo(own);
    const [foreign, deleted, unknown] = [await foreignSlo(), await newSlo(own), newId("slo")];
    await test.call("DELETE", `/api/slos/${deleted}`);
    const conditions = [ownSlo, foreign, deleted, unknown].map(burnRate);
    const refusal = `sloId: no such SLO: ${foreign}, ${deleted}, ${unknown}; GET /api/slos lists them`;
    const answer = await create({ conditions, channelIds: [test.channelId] }, own);
    expect([answer.status, answer.body.details.fieldErrors.conditions]).toEqual([400, [refusal]]);
    const id = await test.newRule(own, { conditions: [burnRate(ownSlo)] });
    const changed = await test.call("PUT", `/api/alerts/${id}`, { conditions });
    expect([changed.status, changed.body.details.fieldErrors.conditions]).toEqual([400, [refusal]]);
    const rule = (await list(own)).find((one: { id: string }) => one.id === id);
    expect(rule.conditions).toEqual([burnRate(ownSlo)]);
  });

  it("is in the change log by the name that it has afterwards", async () => {
    const own = await test.newCheck();
    const id = await test.newRule(own, { name: "Before", conditions });
    await test.call("PUT", `/api/alerts/${id}`, { name: "After" });
    const entries = await test.services
      .knex("changes")
      .where({ resourceId: id })
      .orderBy("key")
      .pluck("name");
    expect(entries).toEqual(["Before", "After"]);
  });

  it("every kind of condition can be stored and comes back", async () => {
    const own = await test.newCheck(anMcpCheck());
    const all = [
      { type: "consecutive_failures", count: 3 },
      { type: "response_time_threshold", maxMs: 800 },
      { type: "multi_location_failure", minLocations: 3, windowSeconds: 60 },
      { type: "ssl_expiry", daysBeforeExpiry: 30, severity: "warning" },
      { type: "ssl_certificate_changed" },
      { type: "ssl_self_signed", severity: "info" },
      { type: "ssl_protocol_deprecated", minProtocol: "TLSv1.3" },
      burnRate(await newSlo()),
      { type: "mcp_schema_drift", changeTypes: ["server"], severity: "critical" },
      {
        type: "baseline_anomaly",
        metric: "ttfb",
        sigmaThreshold: 4,
        consecutiveCount: 5,
        direction: "both",
        severity: "info",
      },
      { type: "failure_ratio", failures: 2, total: 5 },
      { type: "missed_runs", count: 2 },
    ];
    await test.newRule(own, { conditions: all });
    expect((await list(own))[0].conditions).toEqual(all);
  });
});

it("the list of a check's rules says how far the baselines of each are", async () => {
  const own = await test.newCheck();
  await test.newRule(own, { conditions });
  await test.newRule(own, { conditions: [{ type: "baseline_anomaly", metric: "ttfb" }] });
  const rows = Array.from({ length: 31 }, (_, hourOfWeek) => ({
    checkKey: own.key,
    locationKey: own.locationKeys[0],
    metric: "ttfb",
    hourOfWeek,
    sampleCount: 20,
    mean: 1,
    squares: 1,
  }));
  await test.services.knex("baselines").insert(rows);
  const [plain, anomaly] = await list(own);
  expect(plain.baselines).toBeUndefined();
  expect(anomaly.baselines).toEqual([
    {
      metric: "ttfb",
      hoursKnown: 31,
      hoursTotal: 168,
      judgesFrom: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    },
  ]);
});

describe("changing a rule", () => {
  it("changes what is given and nothing else", async () => {
    const own = await test.newCheck();
    const id = await test.newRule(own, { name: "Old", conditions });
    const put = (body: object) => test.call("PUT", `/api/alerts/${id}`, body);
    expect(await put({ name: "New", recovery: { consecutiveSuccesses: 2 } })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const [rule] = await list(own);
    expect(rule).toMatchObject({
      name: "New",
      enabled: true,
      recovery: { consecutiveSuccesses: 2 },
      conditions: [{ count: 2 }],
    });
    expect(rule.updatedAt).not.toBeNull();
    expect((await put({ channelIds: [newId("channel")] })).status).toBe(400);
    expect((await put({ conditions: [] })).status).toBe(400);
    expect(await put(rule)).toMatchObject({ status: 200 });
  });

  it("what was read can be put back", async () => {
    const own = await test.newCheck();
    await test.newRule(own, { conditions });
    const [rule] = await list(own);
    expect((await test.call("PUT", `/api/alerts/${rule.id}`, rule)).status).toBe(200);
  });
});

describe("deleting a rule", () => {
  it("works once", async () => {
    const own = await test.newCheck();
    const id = await test.newRule(own, { conditions });
    expect(await test.call("DELETE", `/api/alerts/${id}`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await test.call("DELETE", `/api/alerts/${id}`)).status).toBe(404);
    expect((await test.call("PUT", `/api/alerts/${id}`, { name: "x" })).status).toBe(404);
    expect(await list(own)).toEqual([]);
  });
});

it("another team finds neither check nor rule", async () => {
  const id = await test.newRule(check, { conditions });
  const { byKey } = await test.createTeam();
  const answers = await Promise.all([
    test.call("GET", `/api/checks/${check.id}/alerts`, undefined, byKey),
    test.call("POST", `/api/checks/${check.id}/alerts`, { conditions, channelIds: [test.channelId] }, byKey),
    test.call("PUT", `/api/alerts/${id}`, { name: "x" }, byKey),
    test.call("DELETE", `/api/alerts/${id}`, undefined, byKey),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});

it("who changed what is in the change log", async () => {
  const own = await test.newCheck();
  const id = await test.newRule(own, { name: "Down", conditions });
  await test.call("PUT", `/api/alerts/${id}`, { enabled: false });
  await test.call("DELETE", `/api/alerts/${id}`);
  const changes = await test.services.knex("changes").where({ resourceId: id }).orderBy("key");
  expect(changes).toMatchObject([
    { action: "created", type: "alert", name: "Down", source: "api", actor: test.team.apiKeyId },
    { action: "updated", changedFields: [{ field: "enabled", oldValue: true, newValue: false }] },
    { action: "deleted" },
  ]);
});
