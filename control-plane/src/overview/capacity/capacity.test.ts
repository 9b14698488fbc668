import { HOUR_MS, MINUTE_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { aCheck, aRollup, keyOfLocation } from "../../../test-support/builders.ts";
import { registerOverviewRoutes } from "../routes.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({ register: registerOverviewRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("runners").delete();
  await test.services.knex("checks").delete();
  test.team = await test.createTeam();
  // Longer than what is kept of all teams together.
  test.clock.advance(10 * MINUTE_MS);
});

/** Stores a private location of the app's team. */
async function aLocation(name = "Office"): Promise<{ id: string; key: number }> {
  const id = newId("location");
  const { teamId } = test.team;
  const row = { id, teamId, name: id, displayName: name, region: "private", type: "private" };
  await test.services.knex("locations").insert(row);
  return { id, key: await keyOfLocation(test.services.knex, id) };
}

/** Connects a runner. @param more.locationKey null: of the hosted pool */
async function connect(locationKeys: number[], more: object = {}): Promise<void> {
  await test.services.knex("runners").insert({
    id: newId("runner"),
    runnerUuid: crypto.randomUUID(),
    processUuid: crypto.randomUUID(),
    locationKey: locationKeys[0],
    runnerKeyId: newId("runnerKey"),
    locationKeys,
    hostname: "rack-1",
    version: "0.1.0",
    capabilities: ["http", "mcp", "browser"],
    capacityPerSecond: 1_000,
    replicaId: "a",
    connectedAt: new Date(),
    lastHeartbeatAt: new Date(),
    leaseUntil: new Date(Date.now() + 600_000),
    stats: { freshRuns: 100, browserPages: 4 },
    ...more,
  });
}

/** Stores an hour of a check at a location, so many hours ago, with the mean response time. */
async function measure(
  { checkKey, locationKey }: { checkKey: number; locationKey: number },
  { meanMs, hoursAgo = 1 }: { meanMs: number; hoursAgo?: number },
): Promise<void> {
  const hour = Math.floor(test.clock.nowMs() / HOUR_MS) * HOUR_MS;
  await test.services.knex("rollups").insert(
    aRollup({
      bucketSeconds: 3_600,
      bucketMs: hour - hoursAgo * HOUR_MS,
      checkKey,
      locationKey,
      successCount: 2,
      failureCount: 1,
      errorCount: 1,
      responseTimeSumUs: 4 * meanMs * 1_000,
      responseTimeMaxUs: meanMs * 1_000,
    }),
  );
}

const after = (more: object = {}) => ({
  type: "http",
  frequencySeconds: 60,
  locations: ["loc_us_east"],
  ...more,
});
const script = { browserMode: "scripted" as const, script: "await page.goto('https://example.com/');" };
const aScript = (locations: string[], frequencySeconds = 60) =>
  test.newCheck({
    name: "Cart",
    type: "browser",
    browserConfig: script,
    frequencySeconds,
    locations,
  } as never);

async function capacityAt(id: string) {
  test.clock.advance(5_000);
  const { status, body } = await test.call("GET", "/api/capacity");
  expect(status, JSON.stringify(body)).toBe(200);
  return body.locations.find(({ locationId }: { locationId: string }) => locationId === id);
}
const preview = (changes: object[]) => test.call("POST", "/api/capacity/preview", { changes });

describe("the capacity of a location", () => {
  it("follows from frequencies, from what was measured there, and from what its runners can do", async () => {
    const office = await aLocation();
    await connect([office.key]);
    await connect([office.key], { draining: true });
    await connect([office.key], { leaseUntil: new Date(0) });
    const fast = await test.newCheck({ frequencySeconds: 10, locations: [office.id] });
    await measure({ checkKey: fast.key, locationKey: office.key }, { meanMs: 200 });
    await measure({ checkKey: fast.key, locationKey: office.key }, { meanMs: 400, hoursAgo: 2 });
    await test.newCheck({ frequencySeconds: 20, locations: [office.id] });
    await test.newCheck({ frequencySeconds: 10, locations: [office.id], enabled: false });
    expect(await capacityAt(office.id)).toEqual({
      locationId: office.id,
      name: "Office",
      runners: 1,
      runsPerHour: 540,
      browserSecondsPerHour: 0,
      // 0.15 runs a second of 200 ms, the second check by the median of the first: 3 of 10,000 parts of 100 places.
      shareBasisPoints: 3,
      reason: null,
      warning: null,
    });
  });

  it("counts browser seconds, and warns above 80 % in words", async () => {
    const office = await aLocation();
    await connect([office.key]);
    const checks = [await aScript([office.id]), await aScript([office.id])];
    await measure({ checkKey: checks[0]?.key as number, locationKey: office.key }, { meanMs: 30_000 });
    const { shareBasisPoints, browserSecondsPerHour, warning } = await capacityAt(office.id);
    expect([shareBasisPoints, browserSecondsPerHour]).toEqual([10_000, 3_600]);
    expect(warning).toMatch(/^Office: 100 % of what 1 runner can do is taken; .* Add a runner/);
    const { body } = await test.call("GET", "/api/overview");
    expect(body.attention).toContainEqual({
      kind: "location_near_capacity",
      count: 1,
      subjects: [{ id: office.id, name: "Office" }],
    });
  });

  it.each<[string, object[], string]>([
    ["nobody runs there", [], "no_runner"],
    ["only a runner that drains is there", [{ draining: true }], "no_runner"],
    ["no runner runs its type", [{ capabilities: ["mcp"] }], "no_runner_for_type"],
  ])("is no number when %s", async (_, runners, reason) => {
    const office = await aLocation();
    for (const runner of runners) await connect([office.key], runner);
    await test.newCheck({ locations: [office.id] });
    expect(await capacityAt(office.id)).toMatchObject({ runsPerHour: 12, shareBasisPoints: null, reason });
  });

  it("a runner of an earlier version, which says nothing of its places, counts with the usual ones", async () => {
    const office = await aLocation();
    await connect([office.key], { stats: {} });
    await aScript([office.id]);
    // A script of 15 s a minute on four places that it takes as a whole.
    expect((await capacityAt(office.id)).shareBasisPoints).toBe(2_500);
  });

  it("of one location lists the checks that take most, the largest first, of this team alone", async () => {
    const office = await aLocation();
    await connect([office.key]);
    const slow = await test.newCheck({ name: "Slow", frequencySeconds: 60, locations: [office.id] });
    await measure({ checkKey: slow.key, locationKey: office.key }, { meanMs: 20_000 });
    const names = Array.from({ length: 12 }, (_, at) => `Small ${at}`);
    for (const [at, name] of names.entries())
      await test.newCheck({ name, frequencySeconds: 600 + at, locations: [office.id] });
    const cart = await aScript([office.id]);
    const { body } = await test.call("GET", `/api/locations/${office.id}/capacity`);
    expect(body.largest).toHaveLength(10);
    expect(body.largest.slice(0, 3)).toEqual([
      {
        checkId: cart.id,
        name: "Cart",
        type: "browser",
        runsPerHour: 60,
        browserSecondsPerHour: 900,
        runSeconds: 15,
        isMeasured: false,
        shareBasisPoints: 2_500,
      },
      expect.objectContaining({ name: "Slow", isMeasured: true, runSeconds: 20, shareBasisPoints: 1 + 1 }),
      expect.objectContaining({ name: "Small 0", isMeasured: false, runSeconds: 20 }),
    ]);
    test.team = await test.createTeam();
    expect((await test.call("GET", `/api/locations/${office.id}/capacity`)).status).toBe(404);
  });
});

describe("a hosted location", () => {
  let east: number;
  let west: number;
  beforeAll(async () => {
    east = await keyOfLocation(test.services.knex, "loc_us_east");
    west = await keyOfLocation(test.services.knex, "loc_us_west");
  });

  it("tells a team its own runs, and of the others only tenths of the share", async () => {
    await connect([east], { locationKey: null });
    const mine = test.team;
    for (let i = 0; i < 2; i++) await aScript(["loc_us_east"]);
    test.team = await test.createTeam();
    const other = await test.newCheck({ frequencySeconds: 10, locations: ["loc_us_east"] });
    await measure({ checkKey: other.key, locationKey: east }, { meanMs: 100 });
    const { warning, ...seen } = await capacityAt("loc_us_east");
    // The other team's two scripts of 15 s a minute take half of the browser pages.
    expect(seen).toMatchObject({
      runners: null,
      runsPerHour: 360,
      browserSecondsPerHour: 0,
      shareBasisPoints: 5_000,
    });
    test.team = mine;
    // The others' one run of 100 ms in 10 s is far below a tenth.
    expect(await capacityAt("loc_us_east")).toMatchObject({ runsPerHour: 120, shareBasisPoints: 5_000 });
  });

  it("a team that changes its own checks learns nothing more of the others", async () => {
    await connect([east], { locationKey: null });
    await aScript(["loc_us_east"], 120);
    const mine = await test.createTeam();
    test.team = mine;
    // The other's script takes 12.5 % of the browser pages: a tenth, whatever this team does.
    const shares = [(await capacityAt("loc_us_east")).shareBasisPoints];
    for (let i = 0; i < 3; i++) {
      await aScript(["loc_us_east"], 600);
      shares.push((await capacityAt("loc_us_east")).shareBasisPoints);
    }
    expect(shares).toEqual([1_000, 1_250, 1_500, 1_750]);
  });

  it("shares its runners with the other locations that they serve", async () => {
    await connect([east, west], { locationKey: null });
    await connect([west], { locationKey: null });
    await aScript(["loc_us_east"]);
    for (const id of ["loc_us_east", "loc_us_west"])
      expect((await capacityAt(id)).shareBasisPoints, id).toBe(1_250);
    expect((await capacityAt("loc_us_south")).reason).toBe("no_runner");
  });
});

describe("a preview", () => {
  it("tells before and after of the locations that it touches, as it will be counted", async () => {
    const office = await aLocation();
    const annex = await aLocation("Annex");
    await aLocation("Untouched");
    await connect([office.key]);
    const stays = await test.newCheck({ frequencySeconds: 60, locations: [office.id, annex.id] });
    const goes = await aScript([office.id]);
    await measure({ checkKey: stays.key, locationKey: office.key }, { meanMs: 7_000 });
    const answer = await preview([
      { checkId: stays.id, after: after({ frequencySeconds: 10, locations: [office.id] }) },
      { checkId: goes.id, after: null },
      { after: after({ type: "mcp", frequencySeconds: 3_600, locations: [office.id] }), count: 5 },
      { after: after({ locations: [office.id], enabled: false }) },
    ]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const figures = (more: object) => ({ runners: 1, browserSecondsPerHour: 0, reason: null, ...more });
    expect(answer.body.locations).toEqual([
      {
        locationId: office.id,
        name: "Office",
        before: figures({ runsPerHour: 120, browserSecondsPerHour: 900, shareBasisPoints: 2_500 }),
        after: figures({ runsPerHour: 365, shareBasisPoints: 5 }),
      },
      {
        locationId: annex.id,
        name: "Annex",
        before: expect.objectContaining({ runsPerHour: 60, shareBasisPoints: null, reason: "no_runner" }),
        after: expect.objectContaining({ runsPerHour: 0, shareBasisPoints: null, reason: "no_runner" }),
      },
    ]);
    await test.call("PUT", `/api/checks/${stays.id}`, { frequencySeconds: 10, locations: [office.id] });
    await test.call("DELETE", `/api/checks/${goes.id}`);
    for (let i = 0; i < 5; i++)
      await test.newCheck({
        name: "Tools",
        type: "mcp",
        mcpConfig: { endpoint: "https://example.com/" },
        frequencySeconds: 3_600,
        locations: [office.id],
      } as never);
    expect(await capacityAt(office.id)).toMatchObject(answer.body.locations[0].after);
  });

  it("and the page of a location know a location that was made a moment ago", async () => {
    await preview([]);
    const fresh = await aLocation();
    expect((await test.call("GET", `/api/locations/${fresh.id}/capacity`)).status).toBe(200);
    const newer = await aLocation();
    const { body } = await preview([{ after: after({ locations: [newer.id] }) }]);
    expect(body.locations).toMatchObject([{ locationId: newer.id, after: { runsPerHour: 60 } }]);
  });

  it("warns of each location of which more than 80 % would be taken", async () => {
    const office = await aLocation();
    await connect([office.key]);
    const scripts = (count: number) => [
      { after: after({ type: "browser", runKind: "scripted", locations: [office.id] }), count },
    ];
    expect((await preview(scripts(3))).body.warnings).toEqual([]);
    expect((await preview(scripts(4))).body.warnings).toEqual([
      {
        locationId: office.id,
        shareBasisPoints: 10_000,
        sentence: expect.stringMatching(/^Office: 100 % of what 1 runner can do would be taken;/),
      },
    ]);
  });

  it("refuses a check of another team, a check named twice and a location that the team does not have", async () => {
    const check = await test.newCheck();
    const elsewhere = await aLocation();
    const owner = test.team;
    test.team = await test.createTeam();
    expect((await preview([{ checkId: check.id, after: null }])).body.details.fieldErrors).toEqual({
      changes: [`0.checkId: there is no check "${check.id}"`],
    });
    const refused = await preview([{ after: after() }, { after: after({ locations: [elsewhere.id] }) }]);
    expect([refused.status, refused.body.details.fieldErrors]).toEqual([
      400,
      { changes: [`1.after.locations: there is no location "${elsewhere.id}"`] },
    ]);
    test.team = owner;
    const twice = await preview([
      { checkId: check.id, after: null },
      { checkId: check.id, after: after() },
    ]);
    expect(twice.body.details.fieldErrors).toEqual({ changes: ["a check is named twice"] });
  });
});

it("of 10,000 checks at 3 locations is made by five statements, and a preview of 2,000 changes by one more", async () => {
  const { knex } = test.services;
  const office = await aLocation();
  await connect([office.key]);
  const { key } = await test.newCheck(aCheck({ locations: [office.id, "loc_us_east", "loc_us_west"] }));
  await knex.raw(
    `INSERT INTO checks (id, team_id, name, type, config, frequency_seconds, location_ids, enabled, revision)
     SELECT 'chk_' || n, team_id, 'Check ' || n, type, config, 10 + n, location_ids, true, 0
     FROM checks CROSS JOIN generate_series(1, 9999) n WHERE key = ?`,
    [key],
  );
  await knex.raw(
    `INSERT INTO rollups SELECT 3600, b, c.key, l.key, 60, 0, 0, 0, 6000000, 100000, 100000, ''
     FROM checks c JOIN locations l ON l.id = ANY (c.location_ids)
     CROSS JOIN generate_series(?::bigint, ?::bigint, 3600000) b`,
    [test.clock.nowMs() - 12 * HOUR_MS, test.clock.nowMs() - HOUR_MS],
  );
  await knex.raw("ANALYZE checks, rollups");
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => void statements.push(sql);
  knex.on("query", note);
  await capacityAt(office.id);
  const own = (all: string[]) =>
    all.filter((sql) => /FROM (checks|locations|runners|\()/.test(sql) && !/api_keys/.test(sql));
  expect(own(statements)).toHaveLength(5);
  statements.length = 0;
  const changes = Array.from({ length: 2_000 }, (_, at) => ({
    checkId: `chk_${at + 1}`,
    after: after({ frequencySeconds: 30, locations: [office.id, "loc_us_east"] }),
  }));
  const { body } = await preview(changes);
  knex.off("query", note);
  expect(body.locations).toHaveLength(3);
  expect(own(statements)).toHaveLength(1);
});
