import { type Check, isSlot, newId, phaseMs } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { registerLocationRoutes } from "../locations/routes.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerResultRoutes } from "../results/routes.ts";
import { registerCheckRoutes } from "./routes.ts";

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerLocationRoutes(app, services);
      registerCheckRoutes(app, services);
      registerResultRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

beforeEach(async () => {
  test.team = await test.createTeam();
});

async function createCheck(overrides: Parameters<typeof aCheck>[0] = {}): Promise<Check> {
  const answer = await test.call("POST", "/api/checks", aCheck(overrides));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.check;
}

const put = (id: string, body: object) => test.call("PUT", `/api/checks/${id}`, body);

async function revisionsOf(id: string) {
  const { knex } = test.services;
  const rows = await knex("checkRevisions").where({ checkKey: await keyOfCheck(knex, id) });
  return rows.sort((a, b) => a.revision - b.revision);
}

async function manualRunsOf(id: string) {
  const { knex } = test.services;
  return knex("manualRuns")
    .where({ checkKey: await keyOfCheck(knex, id) })
    .orderBy("slotMs");
}

describe("creating", () => {
  it("defaults are filled in and come back", async () => {
    const check = await createCheck();
    expect(check).toEqual({
      id: expect.stringMatching(/^chk_[0-9a-z]{26}$/),
      teamId: test.team.teamId,
      name: "Home page",
      type: "http",
      configJson: {
        url: "http://127.0.0.1:9/",
        method: "GET",
        followRedirects: true,
        maxRedirects: 5,
        timeoutMs: 30000,
        assertions: [],
      },
      frequencySeconds: 300,
      locations: ["loc_us_east"],
      enabled: true,
      retry: null,
      createdAt: new Date(test.clock.nowMs()).toISOString(),
      updatedAt: null,
    });
    const read = await test.call("GET", `/api/checks/${check.id}`);
    expect(read.body).toEqual({ check, results: [] });
  });

  it.each([
    [
      "browser, scripted",
      { type: "browser", browserConfig: { browserMode: "scripted", script: "await page.goto('/')" } },
    ],
    ["browser, url", { type: "browser", browserConfig: { browserMode: "url", url: "https://example.org/" } }],
    [
      "mcp",
      {
        type: "mcp",
        mcpConfig: { endpoint: "https://example.org/mcp", auth: { type: "bearer", token: "t" } },
      },
    ],
  ])("a check of type %s is stored as it was given", async (_name, typed) => {
    const body = { name: "a", locations: ["loc_us_east"], ...typed };
    const { status, body: answer } = await test.call("POST", "/api/checks", body);
    expect(status).toBe(201);
    const { type, ...config } = typed;
    expect(answer.check.type).toBe(type);
    expect(answer.check.configJson).toMatchObject(Object.values(config)[0] as object);
  });

  it("an enabled check runs at once in each location, a disabled one does not", async () => {
    const check = await createCheck({ locations: ["loc_us_west", "loc_us_east"] });
    const keys = [];
    for (const id of check.locations) keys.push(await keyOfLocation(test.services.knex, id));
    const [run, ...others] = await manualRunsOf(check.id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ reason: "first_run", locationKeys: keys });
    expect(run.slotMs - test.clock.nowMs()).toBeLessThanOrEqual(1);
    const disabled = await createCheck({ enabled: false });
    expect(await manualRunsOf(disabled.id)).toEqual([]);
  });

  it("its schedule is in force from the creation on", async () => {
    const check = await createCheck({ locations: ["loc_us_west", "loc_us_east"], frequencySeconds: 60 });
    expect(await revisionsOf(check.id)).toMatchObject([
      { frequencySeconds: 60, enabled: true, effectiveFromMs: test.clock.nowMs(), effectiveUntilMs: null },
    ]);
  });

  it("credentials are encrypted in the database and come back as they were given", async () => {
    const auth = { type: "basic" as const, username: "ada", password: "hunter2 🔑" };
    const check = await createCheck({ httpConfig: { url: "http://127.0.0.1:9/", auth } });
    expect(check.configJson.auth).toEqual(auth);
    const row = await test.services.knex("checks").where({ id: check.id }).first();
    expect(JSON.stringify(row.config)).not.toContain("ada");
    expect(row.configSecrets.toString("latin1")).not.toContain("hunter2");
    const list = await test.call("GET", "/api/checks");
    expect(list.body.checks[0].configJson.auth).toEqual(auth);
  });

  it("the newest check is listed first, and only the team's own are", async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) {
      ids.unshift((await createCheck({ name: `check ${i}` })).id);
      if (i === 1) test.clock.advance(1);
    }
    const { body } = await test.call("GET", "/api/checks");
    expect(body.checks.map((check: Check) => check.id)).toEqual(ids);
    const other = await test.createTeam();
    expect((await test.call("GET", "/api/checks", undefined, other.byKey)).body).toEqual({ checks: [] });
  });

  it("every location that can't be used is named", async () => {
    const { knex } = test.services;
    const other = await test.createTeam();
    const foreign = await test.call("POST", "/api/locations", { name: "theirs" }, other.byKey);
    await knex("locations")
      .where({ id: "loc_ap_south" })
      .update({ status: "retired", replacedBy: "loc_us_east" });
    await knex("locations").where({ id: "loc_af_south" }).update({ status: "deprecated" });
    const foreignId = foreign.body.location.id;
    const locations = ["loc_us_east", "loc_nowhere", foreignId, "loc_ap_south", "'; DROP TABLE checks; --"];
    const { status, body } = await test.call("POST", "/api/checks", aCheck({ locations }));
    expect(status).toBe(400);
    expect(body.details.fieldErrors.locations).toEqual([
      'locations[1]: "loc_nowhere" is not a location; GET /api/locations lists them',
      `locations[2]: "${foreignId}" is not a location; GET /api/locations lists them`,
      'locations[3]: "loc_ap_south" is retired; use "loc_us_east"',
      `locations[4]: "'; DROP TABLE checks; --" is not a location; GET /api/locations lists them`,
    ]);
    expect((await test.call("GET", "/api/checks")).body.checks).toEqual([]);
    await createCheck({ locations: ["loc_af_south"] });
    await knex("locations").whereNull("teamId").update({ status: "active", replacedBy: null });
  });

  it("a location listed twice is refused", async () => {
    const { status, body } = await test.call(
      "POST",
      "/api/checks",
      aCheck({ locations: ["loc_us_east", "loc_us_east"] }),
    );
    expect(status).toBe(400);
    expect(body.details.fieldErrors.locations).toEqual(['locations[1]: "loc_us_east" is listed twice']);
  });

  it("a body over 1 MiB is 413", async () => {
    const body = "x".repeat(1024 * 1024);
    const { status } = await test.call(
      "POST",
      "/api/checks",
      aCheck({ httpConfig: { url: "http://127.0.0.1:9/", body } }),
    );
    expect(status).toBe(413);
  });
});

describe("plan limits", () => {
  it("the free plan's limits are 403 with a sentence that names limit and value", async () => {
    test.team = await test.createTeam("free");
    const refused = await test.call(
      "POST",
      "/api/checks",
      aCheck({ locations: ["loc_us_east", "loc_us_west"] }),
    );
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: expect.stringMatching(/free allows at most 1 location per check; got 2/),
    });
    const check = await createCheck();
    const raised = await put(check.id, { locations: ["loc_us_east", "loc_us_west"] });
    expect(raised.status).toBe(403);
    expect((await put(check.id, { name: "still fine", locations: ["loc_us_west"] })).status).toBe(200);
  });

  it("checks created at once can't get past the plan's number", async () => {
    test.team = await test.createTeam("free");
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => test.call("POST", "/api/checks", aCheck())),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 403)).toHaveLength(4);
  });

  it("a check that is beyond a plan it was not made under can still be renamed", async () => {
    const check = await createCheck({ locations: ["loc_us_east", "loc_us_west"] });
    await test.services.knex("teams").where({ id: test.team.teamId }).update({ plan: "free" });
    expect((await put(check.id, { name: "renamed" })).status).toBe(200);
  });
});

describe("updating", () => {
  it("changes what is given and nothing else", async () => {
    const check = await createCheck({ frequencySeconds: 60 });
    test.clock.advance(1000);
    const { status, body } = await put(check.id, { name: "renamed", frequencySeconds: 10 });
    expect(status).toBe(200);
    const updatedAt = new Date(test.clock.nowMs()).toISOString();
    expect(body.check).toEqual({ ...check, name: "renamed", frequencySeconds: 10, updatedAt });
    expect((await test.call("GET", `/api/checks/${check.id}`)).body.check).toEqual(body.check);
  });

  it("what was read can be put back, and the fleet is not told of it", async () => {
    const check = await createCheck({
      httpConfig: { url: "http://127.0.0.1:9/", auth: { type: "bearer", token: "t" } },
      retry: { strategy: "fixed", maxRetries: 1, baseBackoffSeconds: 1, maxDurationSeconds: 10 },
    });
    const before = await test.services.knex("checks").where({ id: check.id }).first();
    const { status, body } = await put(check.id, check);
    expect(status).toBe(200);
    expect(body.check).toEqual({ ...check, updatedAt: expect.any(String) });
    const after = await test.services.knex("checks").where({ id: check.id }).first();
    expect(after.revision).toBe(before.revision);
    expect(await revisionsOf(check.id)).toHaveLength(1);
  });

  it("configJson replaces the whole configuration, credentials included", async () => {
    const check = await createCheck({
      httpConfig: { url: "http://127.0.0.1:9/", body: "x", auth: { type: "bearer", token: "t" } },
    });
    const { body } = await put(check.id, { configJson: { url: "http://127.0.0.1:8/" } });
    expect(body.check.configJson).not.toHaveProperty("auth");
    expect(body.check.configJson).not.toHaveProperty("body");
    expect(body.check.configJson.url).toBe("http://127.0.0.1:8/");
    const row = await test.services.knex("checks").where({ id: check.id }).first();
    expect(row.configSecrets).toBeNull();
  });

  it("configJson is held to the rules of the check's type, by its deeper path", async () => {
    const check = await createCheck();
    const configJson = { url: "nope", timeout: 1, assertions: [{ type: "status_code", value: "200" }] };
    const { status, body } = await put(check.id, { configJson });
    expect(status).toBe(400);
    expect(body.details.fieldErrors.configJson).toEqual([
      "configJson.url: expected a valid http:// or https:// URL",
      "configJson.assertions[0].value: expected a number, got a string",
      'unknown field "timeout"; did you mean "timeoutMs"?',
    ]);
  });

  it("the type can be repeated and not changed", async () => {
    const check = await createCheck();
    expect((await put(check.id, { type: "http" })).status).toBe(200);
    const { status, body } = await put(check.id, { type: "mcp" });
    expect(status).toBe(400);
    expect(body.details.fieldErrors.type).toEqual(["the type of a check can't change; this one is http"]);
  });

  it.each([
    ["frequency", { frequencySeconds: 60 }],
    ["locations", { locations: ["loc_us_west"] }],
    ["order of locations", { locations: ["loc_us_west", "loc_us_east"] }],
    ["enabled", { enabled: false }],
  ])("a change of %s begins a schedule where the former one ends", async (_what, change) => {
    const check = await createCheck({ locations: ["loc_us_east", "loc_us_west"] });
    test.clock.advance(5_000);
    expect((await put(check.id, change)).status).toBe(200);
    const [former, current] = await revisionsOf(check.id);
    expect(former.effectiveUntilMs).toBe(test.clock.nowMs());
    expect(current).toMatchObject({ effectiveFromMs: test.clock.nowMs(), effectiveUntilMs: null });
    const row = await test.services.knex("checks").where({ id: check.id }).first();
    expect(row.revision).toBe(current.revision);
  });

  it.each([
    ["name", { name: "renamed" }],
    ["configuration", { configJson: { url: "http://127.0.0.1:8/" } }],
    ["retry", { retry: { strategy: "fixed", maxRetries: 1, baseBackoffSeconds: 1, maxDurationSeconds: 10 } }],
  ])("a change of %s is a new revision of the check under the same schedule", async (_what, change) => {
    const check = await createCheck();
    const before = await test.services.knex("checks").where({ id: check.id }).first();
    expect((await put(check.id, change)).status).toBe(200);
    const after = await test.services.knex("checks").where({ id: check.id }).first();
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(Number(after.changedXid)).toBeGreaterThan(Number(before.changedXid));
    expect(await revisionsOf(check.id)).toHaveLength(1);
  });

  it("a clock that went back can't make schedules overlap", async () => {
    const check = await createCheck();
    test.clock.advance(-10_000);
    await put(check.id, { frequencySeconds: 60 });
    test.clock.advance(10_000);
    const [former, current] = await revisionsOf(check.id);
    expect(former.effectiveUntilMs).toBe(former.effectiveFromMs);
    expect(current.effectiveFromMs).toBe(former.effectiveUntilMs);
  });

  it("updates at once happen one after another, and none is lost", async () => {
    const check = await createCheck();
    const changes = Array.from({ length: 8 }, (_, i) => ({ frequencySeconds: 60 + i }));
    const answers = await Promise.all([
      ...changes.map((change) => put(check.id, change)),
      put(check.id, { name: "renamed" }),
      put(check.id, { enabled: false }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const { check: last } = (await test.call("GET", `/api/checks/${check.id}`)).body;
    expect(last).toMatchObject({ name: "renamed", enabled: false });
    const revisions = await revisionsOf(check.id);
    expect(revisions.filter((revision) => revision.effectiveUntilMs === null)).toHaveLength(1);
    expect(revisions.at(-1)).toMatchObject({ frequencySeconds: last.frequencySeconds, enabled: false });
  });

  it("an update that is refused changes nothing", async () => {
    const check = await createCheck();
    expect((await put(check.id, { name: "renamed", locations: ["loc_nowhere"] })).status).toBe(400);
    expect((await test.call("GET", `/api/checks/${check.id}`)).body.check).toEqual(check);
    expect(await revisionsOf(check.id)).toHaveLength(1);
  });

  it("a check keeps a location that was retired under it", async () => {
    const { knex } = test.services;
    const check = await createCheck({ locations: ["loc_ap_south"] });
    await knex("locations").where({ id: "loc_ap_south" }).update({ status: "retired" });
    expect((await put(check.id, { locations: ["loc_ap_south", "loc_us_east"] })).status).toBe(200);
    await knex("locations").where({ id: "loc_ap_south" }).update({ status: "active" });
  });
});

describe("deleting", () => {
  it("it is gone at once, with its results; the second time it is not found", async () => {
    const { knex } = test.services;
    const check = await createCheck();
    const checkKey = await keyOfCheck(knex, check.id);
    const locationKey = await keyOfLocation(knex, "loc_us_east");
    await storeResults(knex, [aResult({ checkKey, locationKey, slotMs: test.clock.nowMs() })]);
    const remove = () => test.call("DELETE", `/api/checks/${check.id}`);
    expect((await remove()).body).toEqual({ success: true });
    for (const path of ["", "/results"])
      expect((await test.call("GET", `/api/checks/${check.id}${path}`)).status).toBe(404);
    expect((await remove()).body).toEqual({ error: "Check not found" });
    expect(await knex("checkDeletions").where({ checkKey })).toHaveLength(1);
    expect(await knex("manualRuns").where({ checkKey })).toEqual([]);
  });

  it("two deletions at once: one works, the other finds nothing", async () => {
    const check = await createCheck();
    const remove = () => test.call("DELETE", `/api/checks/${check.id}`);
    const statuses = (await Promise.all([remove(), remove()])).map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, 404]);
  });
});

describe("triggering", () => {
  const trigger = (id: string) => test.call("POST", `/api/checks/${id}/trigger`);

  it("orders a run now in each location, of a disabled check too", async () => {
    const check = await createCheck({ enabled: false, locations: ["loc_us_east", "loc_us_west"] });
    expect((await trigger(check.id)).body).toEqual({ triggered: true, locations: 2 });
    const [run] = await manualRunsOf(check.id);
    expect(run).toMatchObject({ reason: "triggered", slotMs: test.clock.nowMs() });
    expect(run.locationKeys).toHaveLength(2);
  });

  it("triggers in one ms are runs of their own", async () => {
    const check = await createCheck({ enabled: false });
    const answers = await Promise.all(Array.from({ length: 6 }, () => trigger(check.id)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    const slots = (await manualRunsOf(check.id)).map((run) => run.slotMs);
    expect(new Set(slots).size).toBe(6);
    expect(Math.max(...slots) - test.clock.nowMs()).toBeLessThanOrEqual(6);
  });

  it("a triggered run never takes a slot of the check's grid", async () => {
    const check = await createCheck({ enabled: false, frequencySeconds: 10 });
    const phase = phaseMs(check.id, 10);
    const toNextSlot = (10_000 + phase - (test.clock.nowMs() % 10_000)) % 10_000;
    test.clock.advance(toNextSlot);
    expect(isSlot(test.clock.nowMs(), 10_000, phase)).toBe(true);
    await trigger(check.id);
    expect((await manualRunsOf(check.id))[0].slotMs).toBe(test.clock.nowMs() + 1);
  });
});

describe("what the fleet is told", () => {
  it("each change is announced at its commit, under its own topic", async () => {
    const client = await test.services.knex.client.acquireRawConnection();
    const topics: string[] = [];
    client.on("notification", (message: { payload: string }) => topics.push(message.payload));
    await client.query("LISTEN svc_changes");
    const heard = async () => {
      // Notifications come before the answer to a later query of the same connection.
      await client.query("SELECT 1");
      return topics.splice(0).sort();
    };
    const check = await createCheck();
    expect(await heard()).toEqual(["checks", "manual_runs"]);
    await put(check.id, { name: "renamed" });
    expect(await heard()).toEqual(["checks"]);
    await test.call("POST", `/api/checks/${check.id}/trigger`);
    expect(await heard()).toEqual(["manual_runs"]);
    await put(check.id, { frequencySeconds: 5 });
    expect(await heard()).toEqual([]);
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect(await heard()).toEqual(["checks"]);
    await client.end();
  });
});

describe("what is not the team's", () => {
  const requests: ["GET" | "PUT" | "DELETE" | "POST", string, object | undefined][] = [
    ["GET", "", undefined],
    ["PUT", "", { name: "taken over" }],
    ["DELETE", "", undefined],
    ["POST", "/trigger", undefined],
    ["GET", "/results", undefined],
  ];

  it.each(requests)(
    "%s %s of another team's check is not found, and changes nothing",
    async (method, path, body) => {
      const check = await createCheck();
      const other = await test.createTeam();
      const answer = await test.call(method, `/api/checks/${check.id}${path}`, body, other.byKey);
      expect([answer.status, answer.body]).toEqual([404, { error: "Check not found" }]);
      expect((await test.call("GET", `/api/checks/${check.id}`)).body.check).toEqual(check);
      expect(await manualRunsOf(check.id)).toHaveLength(1);
    },
  );

  it.each([
    ["an unknown check", newId("check")],
    ["a location's id", newId("location")],
    ["SQL", "chk_x' OR '1'='1"],
    ["a path", "..%2F..%2Fetc%2Fpasswd"],
    ["an id in capitals", newId("check").toUpperCase()],
    ["an id that is too large", "chk_8zzzzzzzzzzzzzzzzzzzzzzzzz"],
  ])("%s in place of the id is not found", async (_what, id) => {
    for (const [method, path, body] of requests) {
      const answer = await test.call(
        method,
        `/api/checks/${encodeURI(id).replaceAll("%25", "%")}${path}`,
        body,
      );
      expect(answer.status, `${method} ${path}`).toBe(404);
    }
  });

  it("a NUL character in place of the id is no valid text", async () => {
    expect((await test.call("GET", "/api/checks/chk_%00")).status).toBe(400);
  });
});
