import type { Check } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerResultRoutes } from "./routes.ts";

let test: TestApp;
let east: number;
let west: number;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerResultRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  east = await keyOfLocation(knex, "loc_us_east");
  west = await keyOfLocation(knex, "loc_us_west");
});
afterAll(() => test.close());

async function createCheck(): Promise<Check & { key: number }> {
  const { body } = await test.call(
    "POST",
    "/api/checks",
    aCheck({ locations: ["loc_us_east", "loc_us_west"] }),
  );
  return { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
}
const store = (check: { key: number }, locationKey: number, minutesAgo: number, status?: number) =>
  storeResults(test.services.knex, [
    aResult(
      { checkKey: check.key, locationKey, slotMs: test.clock.nowMs() - minutesAgo * 60_000 },
      status ? { status } : {},
    ),
  ]);
const healths = async () => (await test.call("GET", "/api/checks/health")).body.checks;

it("the newest result of each location decides; older failures, other teams and old results don't", async () => {
  const [mixed, recovered, old, none] = [
    await createCheck(),
    await createCheck(),
    await createCheck(),
    await createCheck(),
  ];
  await store(mixed, east, 1);
  await store(mixed, west, 2, 2);
  await store(recovered, east, 1);
  await store(recovered, east, 2, 2);
  await store(old, east, 3 * 24 * 60, 2);
  expect((await healths()).map(({ checkId, health }: never) => [checkId, health])).toEqual([
    [none.id, "unknown"],
    [old.id, "unknown"],
    [recovered.id, "healthy"],
    [mixed.id, "unhealthy"],
  ]);
  const [, , , seen] = await healths();
  expect(seen.failingLocations).toEqual(["loc_us_west"]);
  expect(seen.results.map(({ status }: never) => status)).toEqual(["failure", "success"]);
  const other = await test.createTeam();
  expect((await test.call("GET", "/api/checks/health", undefined, other.byKey)).body.checks).toEqual([]);
});

it("shows the newest twenty and pages like the list of checks", async () => {
  const check = await createCheck();
  for (let minute = 0; minute < 25; minute++) await store(check, east, minute);
  const { body } = await test.call("GET", "/api/checks/health?limit=1");
  expect(body.checks).toHaveLength(1);
  expect(body.checks[0].results).toHaveLength(20);
  expect(body.checks[0].results.at(-1).slotAt).toBe(new Date(test.clock.nowMs()).toISOString());
  const listed = (await test.call("GET", "/api/checks")).body.checks.map(({ id }: Check) => id);
  expect((await healths()).map(({ checkId }: never) => checkId)).toEqual(listed);
});

it("is read by cursor from one end to the other, and skips at most 20,000 checks one by one", async () => {
  const whole = (await healths()).map(({ checkId }: never) => checkId);
  const seen: string[] = [];
  for (let query = "?limit=2"; query !== ""; ) {
    const { checks, nextCursor } = (await test.call("GET", `/api/checks/health${query}`)).body;
    seen.push(...checks.map(({ checkId }: never) => checkId));
    query = nextCursor === undefined ? "" : `?limit=2&cursor=${nextCursor}`;
  }
  expect(seen).toEqual(whole);
  expect((await test.call("GET", "/api/checks/health?limit=2&offset=1")).body).toMatchObject({
    checks: [{ checkId: whole[1] }, { checkId: whole[2] }],
    limit: 2,
    offset: 1,
  });
  const other = await test.createTeam();
  await test.services.knex.raw(
    `INSERT INTO checks (id, team_id, name, type, config, frequency_seconds, location_ids, enabled, revision, created_at)
     SELECT 'chk_' || n, ?, 'c', 'http', '{}', 60, '{}', true, 1, now() FROM generate_series(1, 20010) AS n`,
    [other.teamId],
  );
  const at = (offset: number) =>
    test.call("GET", `/api/checks/health?limit=5&offset=${offset}`, undefined, other.byKey);
  expect((await at(20_000)).body.checks).toHaveLength(5);
  const beyond = await at(20_001);
  expect([beyond.status, beyond.body.details.fieldErrors.offset]).toEqual([
    400,
    [expect.stringMatching(/largest is 20000.*cursor/)],
  ]);
});

it("tells only of the checks that are named, of the own team's alone, and of no more than 100", async () => {
  const [first, , third] = [await createCheck(), await createCheck(), await createCheck()];
  const other = await test.createTeam();
  const ask = async (ids: readonly string[], headers?: Record<string, string>) =>
    test.call("GET", `/api/checks/health?ids=${ids.join(",")}`, undefined, headers);
  const named = [first.id, "chk_unknown", third.id];
  expect((await ask(named)).body.checks.map(({ checkId }: never) => checkId)).toEqual([third.id, first.id]);
  expect((await ask(named, other.byKey)).body.checks).toEqual([]);
  const many = await ask(Array.from({ length: 101 }, () => first.id));
  expect([many.status, Object.keys(many.body.details.fieldErrors)]).toEqual([400, ["ids"]]);
});
