import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { createCheck, revisionsOf, useChecksApp } from "../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

const put = (id: string, body: object) => test.call("PUT", `/api/checks/${id}`, body);

describe("updating", () => {
  it("changes what is given and nothing else", async () => {
    const check = await createCheck(test, { frequencySeconds: 60 });
    test.clock.advance(1000);
    const { status, body } = await put(check.id, { name: "renamed", frequencySeconds: 10 });
    expect(status).toBe(200);
    const updatedAt = new Date(test.clock.nowMs()).toISOString();
    expect(body.check).toEqual({ ...check, name: "renamed", frequencySeconds: 10, updatedAt });
    expect((await test.call("GET", `/api/checks/${check.id}`)).body.check).toEqual(body.check);
  });

  it("what was read can be put back, and the fleet is not informed of it", async () => {
    const check = await createCheck(test, {
      httpConfig: { url: "http://127.0.0.1:9/", auth: { type: "bearer", token: "t" } },
      retry: { strategy: "fixed", maxRetries: 1, baseBackoffSeconds: 1, maxDurationSeconds: 10 },
    });
    const before = await test.services.knex("checks").where({ id: check.id }).first();
    const { status, body } = await put(check.id, check);
    expect(status).toBe(200);
    expect(body.check).toEqual({ ...check, updatedAt: expect.any(String) });
    const after = await test.services.knex("checks").where({ id: check.id }).first();
    expect(after.revision).toBe(before.revision);
    expect(await revisionsOf(test, check.id)).toHaveLength(1);
  });

  it("configJson replaces the whole configuration, credentials included", async () => {
    const check = await createCheck(test, {
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
    const check = await createCheck(test);
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
    const check = await createCheck(test);
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
    const check = await createCheck(test, { locations: ["loc_us_east", "loc_us_west"] });
    test.clock.advance(5_000);
    expect((await put(check.id, change)).status).toBe(200);
    const [former, current] = await revisionsOf(test, check.id);
    expect(former?.effectiveUntilMs).toBe(test.clock.nowMs());
    expect(current).toMatchObject({ effectiveFromMs: test.clock.nowMs(), effectiveUntilMs: null });
    const row = await test.services.knex("checks").where({ id: check.id }).first();
    expect(row.revision).toBe(current?.revision);
  });

  it.each([
    ["name", { name: "renamed" }],
    ["configuration", { configJson: { url: "http://127.0.0.1:8/" } }],
    ["retry", { retry: { strategy: "fixed", maxRetries: 1, baseBackoffSeconds: 1, maxDurationSeconds: 10 } }],
  ])("a change of %s is a new revision of the check under the same schedule", async (_what, change) => {
    const check = await createCheck(test);
    const before = await test.services.knex("checks").where({ id: check.id }).first();
    expect((await put(check.id, change)).status).toBe(200);
    const after = await test.services.knex("checks").where({ id: check.id }).first();
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(Number(after.changedXid)).toBeGreaterThan(Number(before.changedXid));
    expect(await revisionsOf(test, check.id)).toHaveLength(1);
  });

  it("a clock that went back can't make schedules overlap", async () => {
    const check = await createCheck(test);
    test.clock.advance(-10_000);
    await put(check.id, { frequencySeconds: 60 });
    test.clock.advance(10_000);
    const [former, current] = await revisionsOf(test, check.id);
    expect(former?.effectiveUntilMs).toBe(former?.effectiveFromMs);
    expect(current?.effectiveFromMs).toBe(former?.effectiveUntilMs);
  });

  it("updates at once happen one after another, and none is lost", async () => {
    const check = await createCheck(test);
    const changes = Array.from({ length: 8 }, (_, i) => ({ frequencySeconds: 60 + i }));
    const answers = await Promise.all([
      ...changes.map((change) => put(check.id, change)),
      put(check.id, { name: "renamed" }),
      put(check.id, { enabled: false }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const { check: last } = (await test.call("GET", `/api/checks/${check.id}`)).body;
    expect(last).toMatchObject({ name: "renamed", enabled: false });
    const revisions = await revisionsOf(test, check.id);
    expect(revisions.filter((revision) => revision.effectiveUntilMs === null)).toHaveLength(1);
    expect(revisions.at(-1)).toMatchObject({ frequencySeconds: last.frequencySeconds, enabled: false });
  });

  it("an update that is refused changes nothing", async () => {
    const check = await createCheck(test);
    expect((await put(check.id, { name: "renamed", locations: ["loc_nowhere"] })).status).toBe(400);
    expect((await test.call("GET", `/api/checks/${check.id}`)).body.check).toEqual(check);
    expect(await revisionsOf(test, check.id)).toHaveLength(1);
  });

  it("a check keeps a location that was retired under it", async () => {
    const { knex } = test.services;
    const check = await createCheck(test, { locations: ["loc_ap_south"] });
    await knex("locations").where({ id: "loc_ap_south" }).update({ status: "retired" });
    expect((await put(check.id, { locations: ["loc_ap_south", "loc_us_east"] })).status).toBe(200);
    await knex("locations").where({ id: "loc_ap_south" }).update({ status: "active" });
  });
});
