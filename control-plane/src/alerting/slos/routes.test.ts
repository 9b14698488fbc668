import { type Check, newId, type Slo } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { registerChangeRoutes } from "../../accounts/change-log/routes.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerThirdPartyPatternRoutes } from "../../checks/third-party-patterns/routes.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { alertingDependents } from "../check-dependents.ts";
import { registerAlertRoutes } from "../routes.ts";
import { registerSloRoutes } from "./routes.ts";

let test: TestApp;
let check: Check;
let channelId: string;
let patternId: string;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerChannelRoutes(app, services);
      registerAlertRoutes(app, services);
      registerChangeRoutes(app, services);
      registerSloRoutes(app, services);
      registerThirdPartyPatternRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
  check = await newCheck();
  channelId = await newChannel();
  const pattern = { name: "CDN", hostPattern: "cdn.example.com" };
  patternId = (await test.call("POST", "/api/third-party-patterns", pattern)).body.pattern.id;
});

const newCheck = async (name = "Home page"): Promise<Check> =>
  (await test.call("POST", "/api/checks", aCheck({ name }))).body.check;
const newChannel = async (name = "ops"): Promise<string> => {
  const channel = { type: "webhook", url: "https://example.org/hook" };
  return (await test.call("POST", "/api/notification-channels", { name, channel })).body.channel.id;
};

const aSlo = (overrides: object = {}) => ({
  name: "Home page up",
  checkId: check.id,
  targetBasisPoints: 9_990,
  windowDays: 30,
  ...overrides,
});
const aThirdParty = (overrides: object = {}) =>
  aSlo({ sloType: "third_party", checkId: undefined, patternId, ...overrides });
async function create(overrides: object = {}): Promise<Slo> {
  const answer = await test.call("POST", "/api/slos", aSlo(overrides));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.slo;
}
const put = (id: string, body: object) => test.call("PUT", `/api/slos/${id}`, body);
const rulesOf = async ({ id }: Check = check) =>
  (await test.call("GET", `/api/checks/${id}/alerts`)).body.alerts;
const namesOf = async (of?: Check) => (await rulesOf(of)).map((rule: { name: string }) => rule.name);

describe("an SLO over REST", () => {
  it("comes back with its defaults, from its creation, the list and by its id", async () => {
    const created = await create();
    expect(created).toEqual({
      id: expect.stringMatching(/^slo_[0-9a-z]{26}$/),
      teamId: test.team.teamId,
      checkId: check.id,
      checkName: "Home page",
      name: "Home page up",
      targetBasisPoints: 9_990,
      windowDays: 30,
      burnRateAlertsEnabled: true,
      channelIds: [],
      enabled: true,
      sloType: "check",
      patternId: null,
      sliType: "availability",
      perfThresholdMs: null,
      scope: "check",
      createdAt: new Date(test.clock.nowMs()).toISOString(),
      updatedAt: null,
    });
    expect((await test.call("GET", `/api/slos/${created.id}`)).body).toEqual({ slo: created });
    const list = await test.call("GET", "/api/slos");
    expect(list.body).toEqual({ slos: [created], limit: 50, offset: 0 });
  });

  it("of a third party is stored with its pattern, is team-wide, and nothing is known of it yet", async () => {
    const { status, body } = await test.call("POST", "/api/slos", aThirdParty());
    expect(status).toBe(201);
    expect(body.slo).toMatchObject({ scope: "team", checkId: null, checkName: null, patternId });
    const { state } = (await test.call("GET", `/api/slos/${body.slo.id}/status`)).body;
    expect(state).toMatchObject({ patternId, checkId: null, totalCount: 0, availability: 1 });
    expect(state).toMatchObject({ budgetConsumedRatio: 0, burnRate1h: 0, avgDurationMs: null });
  });

  it.each([
    ["no check", { checkId: undefined }, "checkId"],
    ["a check that is not there", { checkId: newId("check") }, "checkId"],
    ["a channel that is not there", { channelIds: ["nch_x"] }, "channelIds"],
    ["a channel twice", { channelIds: ["nch_x", "nch_x"] }, "channelIds"],
    ["no name", { name: "" }, "name"],
    ["a name that is too long", { name: "n".repeat(256) }, "name"],
    ["a target of 0", { targetBasisPoints: 0 }, "targetBasisPoints"],
    ["a target of all", { targetBasisPoints: 10_000 }, "targetBasisPoints"],
    ["a target between basis points", { targetBasisPoints: 99.9 }, "targetBasisPoints"],
    ["another window", { windowDays: 28 }, "windowDays"],
    ["a pattern", { patternId: "cdn" }, "patternId"],
    ["a scope that does not fit", { scope: "team" }, "scope"],
    ["a threshold of an availability SLI", { perfThresholdMs: 100 }, "perfThresholdMs"],
    ["a performance SLI without a threshold", { sliType: "performance" }, "perfThresholdMs"],
    ["a threshold of 0", { sliType: "performance", perfThresholdMs: 0 }, "perfThresholdMs"],
    ["an unknown type", { sloType: "composite" }, "sloType"],
    ["an unknown field", { target: 99 }, "target"],
  ])("%s is 400 and named", async (_title, overrides, field) => {
    const { status, body } = await test.call("POST", "/api/slos", aSlo(overrides));
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
  });

  it.each([
    ["a check", { checkId: "chk_x" }, "checkId"],
    ["no pattern", { patternId: undefined }, "patternId"],
  ])("a third party's with %s is 400 and named", async (_title, overrides, field) => {
    const { status, body } = await test.call("POST", "/api/slos", aThirdParty(overrides));
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
  });

  it("changes what is given and nothing else; what was read can be put back", async () => {
    const other = await newCheck("Other");
    const created = await create({ sliType: "performance", perfThresholdMs: 500 });
    test.clock.advance(1_000);
    const changes = {
      name: "New",
      checkId: other.id,
      targetBasisPoints: 9_500,
      windowDays: 7,
      enabled: false,
      burnRateAlertsEnabled: false,
      channelIds: [channelId],
      perfThresholdMs: 800,
    };
    const changed = await put(created.id, changes);
    const updatedAt = new Date(test.clock.nowMs()).toISOString();
    expect(changed.body.slo).toEqual({ ...created, ...changes, checkName: "Other", updatedAt });
    expect((await put(created.id, changed.body.slo)).body.slo).toEqual(changed.body.slo);
  });

  it.each([
    ["sloType", { sloType: "third_party" }],
    ["sliType", { sliType: "performance" }],
    ["scope", { scope: "team" }],
    ["patternId", { patternId: "cdn" }],
    ["perfThresholdMs", { perfThresholdMs: 100 }],
    ["checkId", { checkId: null }],
    ["checkId", { checkId: newId("check") }],
    ["channelIds", { channelIds: [newId("channel")] }],
  ])("a change of %s that can't be is 400, named, and changes nothing", async (field, change) => {
    const created = await create();
    const { status, body } = await put(created.id, { name: "New", ...change });
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
    expect((await test.call("GET", `/api/slos/${created.id}`)).body.slo).toEqual(created);
  });

  it("no check can be set on a team-wide one", async () => {
    const { slo } = (await test.call("POST", "/api/slos", aThirdParty())).body;
    const { status, body } = await put(slo.id, { checkId: check.id });
    expect([status, body.details.fieldErrors]).toEqual([
      400,
      { checkId: ["checkId cannot be set on team-wide SLOs"] },
    ]);
  });

  it("is listed newest first, by check, by type, by page", async () => {
    const other = await newCheck("Other");
    for (const name of ["a", "b"]) await create({ name });
    await create({ name: "c", checkId: other.id });
    await test.call("POST", "/api/slos", aThirdParty({ name: "d" }));
    const list = async (query: string) =>
      (await test.call("GET", `/api/slos${query}`)).body.slos.map((slo: Slo) => slo.name).join("");
    expect(await list("")).toBe("dcba");
    expect(await list(`?checkId=${check.id}`)).toBe("ba");
    expect(await list("?sloType=check")).toBe("cba");
    expect(await list("?sloType=third_party")).toBe("d");
    expect(await list("?limit=2&offset=1")).toBe("cb");
    for (const bad of ["?sloType=x", "?limit=0", "?limit=201", "?offset=-1"])
      expect((await test.call("GET", `/api/slos${bad}`)).status, bad).toBe(400);
  });

  it("is another team's business only there", async () => {
    const { id } = await create();
    const stranger = await test.createTeam();
    for (const [method, path, body] of [
      ["GET", ""],
      ["GET", "/status"],
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
    ] as const) {
      const answer = await test.call(method, `/api/slos/${id}${path}`, body, stranger.byKey);
      expect([answer.status, answer.body]).toEqual([404, { error: "SLO not found" }]);
    }
    expect((await test.call("GET", "/api/slos", undefined, stranger.byKey)).body.slos).toEqual([]);
    const foreign = await test.call("POST", "/api/slos", aSlo(), stranger.byKey);
    expect([foreign.status, Object.keys(foreign.body.details.fieldErrors)]).toEqual([400, ["checkId"]]);
  });

  it("is gone once it is deleted; a second time it is not found", async () => {
    const { id } = await create();
    expect((await test.call("DELETE", `/api/slos/${id}`)).body).toEqual({ success: true });
    expect((await test.call("DELETE", `/api/slos/${id}`)).status).toBe(404);
    expect((await test.call("GET", "/api/slos")).body.slos).toEqual([]);
  });

  it("goes with its check; the change log tells of each step", async () => {
    const { id } = await create();
    await put(id, { targetBasisPoints: 9_900 });
    await put(id, { targetBasisPoints: 9_900 });
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.call("GET", `/api/slos/${id}`)).status).toBe(404);
    const { changes } = (await test.call("GET", "/api/changes?type=slo")).body;
    expect(changes.map(({ action }: { action: string }) => action)).toEqual([
      "deleted",
      "updated",
      "created",
    ]);
    expect(changes[1].changedFields).toEqual([
      { field: "targetBasisPoints", oldValue: 9_990, newValue: 9_900 },
    ]);
  });

  it("keeps its channels from being deleted", async () => {
    await create({ channelIds: [channelId], burnRateAlertsEnabled: false });
    const { status, body } = await test.call("DELETE", `/api/notification-channels/${channelId}`);
    expect([status, body]).toEqual([409, { error: 'Channel "ops" is used by the SLO "Home page up"' }]);
  });
});

describe("burn-rate alerts", () => {
  it("are two rules of the check, one per pace, that name their SLO", async () => {
    const { id } = await create({ channelIds: [channelId] });
    const rules = await rulesOf();
    expect(rules).toMatchObject([
      { name: "Home page up: fast burn", enabled: true, channelIds: [channelId], sloId: id },
      { name: "Home page up: slow burn", enabled: true, channelIds: [channelId], sloId: id },
    ]);
    expect(rules.map((rule: { conditions: unknown }) => rule.conditions)).toEqual([
      [
        {
          type: "burn_rate",
          sloId: id,
          burnRateThreshold: 14.4,
          longWindowMinutes: 60,
          shortWindowMinutes: 5,
        },
      ],
      [
        {
          type: "burn_rate",
          sloId: id,
          burnRateThreshold: 6,
          longWindowMinutes: 360,
          shortWindowMinutes: 30,
        },
      ],
    ]);
  });

  it("follow the SLO: its name, channels, check, and whether it is on", async () => {
    const other = await newCheck("Other");
    const second = await newChannel("second");
    const { id } = await create({ channelIds: [channelId] });
    const [before] = await rulesOf();
    await put(id, { name: "New", channelIds: [second], enabled: false });
    const [after] = await rulesOf();
    expect(after).toMatchObject({
      id: before.id,
      name: "New: fast burn",
      channelIds: [second],
      enabled: false,
    });
    await put(id, { checkId: other.id, enabled: true });
    expect([await namesOf(), await namesOf(other)]).toEqual([[], ["New: fast burn", "New: slow burn"]]);
    await test.call("DELETE", `/api/slos/${id}`);
    expect(await namesOf(other)).toEqual([]);
  });

  it("are there while they are wanted and there is someone to tell", async () => {
    const { id } = await create();
    expect(await namesOf()).toEqual([]);
    await put(id, { channelIds: [channelId] });
    expect(await namesOf()).toHaveLength(2);
    await put(id, { burnRateAlertsEnabled: false });
    expect(await namesOf()).toEqual([]);
    await put(id, { burnRateAlertsEnabled: true });
    expect(await namesOf()).toHaveLength(2);
    await put(id, { channelIds: [] });
    expect(await namesOf()).toEqual([]);
  });

  it("are never there twice, however many changes come at once", async () => {
    const { id } = await create();
    const answers = await Promise.all(
      [true, false, true, true, true, true].map((burnRateAlertsEnabled, i) =>
        put(id, { burnRateAlertsEnabled, channelIds: [channelId], name: `n${i}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const { slo } = (await put(id, { burnRateAlertsEnabled: true })).body;
    expect(await namesOf()).toEqual([`${slo.name}: fast burn`, `${slo.name}: slow burn`]);
  });

  it("can't be changed or deleted past their SLO", async () => {
    await create({ channelIds: [channelId] });
    const [rule] = await rulesOf();
    for (const [method, body] of [["PUT", { enabled: false }], ["DELETE"]] as const) {
      const answer = await test.call(method, `/api/alerts/${rule.id}`, body);
      expect([answer.status, answer.body.error]).toEqual([
        409,
        expect.stringContaining("is generated by an SLO"),
      ]);
    }
    expect(await rulesOf()).toContainEqual(rule);
  });

  it("of a channel that only they and their SLO name let it go with the SLO", async () => {
    const { id } = await create({ channelIds: [channelId] });
    expect((await test.call("DELETE", `/api/notification-channels/${channelId}`)).status).toBe(409);
    await test.call("DELETE", `/api/slos/${id}`);
    expect((await test.call("DELETE", `/api/notification-channels/${channelId}`)).status).toBe(200);
  });
});
