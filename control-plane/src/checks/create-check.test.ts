import type { Check } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { aCheck, keyOfLocation } from "../../test-support/builders.ts";
import { createCheck, manualRunsOf, revisionsOf, useChecksApp } from "../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

const put = (id: string, body: object) => test.call("PUT", `/api/checks/${id}`, body);

describe("creating", () => {
  it("defaults are filled in and come back", async () => {
    const check = await createCheck(test);
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
    const check = await createCheck(test, { locations: ["loc_us_west", "loc_us_east"] });
    const keys = [];
    for (const id of check.locations) keys.push(await keyOfLocation(test.services.knex, id));
    const [run, ...others] = await manualRunsOf(test, check.id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ reason: "first_run", locationKeys: keys });
    expect((run?.slotMs ?? 0) - test.clock.nowMs()).toBeLessThanOrEqual(1);
    const disabled = await createCheck(test, { enabled: false });
    expect(await manualRunsOf(test, disabled.id)).toEqual([]);
  });

  it("its schedule is in force from the creation on", async () => {
    const check = await createCheck(test, {
      locations: ["loc_us_west", "loc_us_east"],
      frequencySeconds: 60,
    });
    expect(await revisionsOf(test, check.id)).toMatchObject([
      { frequencySeconds: 60, enabled: true, effectiveFromMs: test.clock.nowMs(), effectiveUntilMs: null },
    ]);
  });

  it("credentials are encrypted in the database and come back as they were given", async () => {
    const auth = { type: "basic" as const, username: "ada", password: "hunter2 🔑" };
    const check = await createCheck(test, { httpConfig: { url: "http://127.0.0.1:9/", auth } });
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
      ids.unshift((await createCheck(test, { name: `check ${i}` })).id);
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
    const locations = [
      "loc_us_east",
      "loc_nowhere",
      foreignId,
      "loc_ap_south",
      "'; DROP TABLE checks; --",
      "loc_af_south",
    ];
    const { status, body } = await test.call("POST", "/api/checks", aCheck({ locations }));
    expect(status).toBe(400);
    expect(body.details.fieldErrors.locations).toEqual([
      'locations[1]: "loc_nowhere" is not a location; GET /api/locations lists them',
      `locations[2]: "${foreignId}" is not a location; GET /api/locations lists them`,
      'locations[3]: "loc_ap_south" is retired; use "loc_us_east"',
      `locations[4]: "'; DROP TABLE checks; --" is not a location; GET /api/locations lists them`,
      'locations[5]: "loc_af_south" is deprecated; GET /api/locations lists others',
    ]);
    expect((await test.call("GET", "/api/checks")).body.checks).toEqual([]);
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
    const check = await createCheck(test);
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
    const check = await createCheck(test, { locations: ["loc_us_east", "loc_us_west"] });
    await test.services.knex("teams").where({ id: test.team.teamId }).update({ plan: "free" });
    expect((await put(check.id, { name: "renamed" })).status).toBe(200);
  });
});
