import { MINUTE_MS, newId, SECOND_MS } from "@svc/contract";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../../test-support/alerting.ts";
import { keyOfLocation } from "../../../../test-support/builders.ts";
import { registerOverviewRoutes } from "../../routes.ts";
import { WantedRunners } from "./count-wanted.ts";
import { startScalingJob } from "./jobs.ts";
import { readScaling } from "./store.ts";

let test: AlertTest;
let wanted: WantedRunners;
beforeAll(async () => {
  test = await createAlertTest({ register: registerOverviewRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  const { knex } = test.services;
  await knex("runners").delete();
  await knex("checks").delete();
  await knex("location_scaling").delete();
  test.team = await test.createTeam();
  wanted = new WantedRunners(test.services);
});

async function aLocation(): Promise<{ id: string; key: number }> {
  const id = newId("location");
  const { teamId } = test.team;
  const row = { id, teamId, name: id, displayName: id, region: "private", type: "private" };
  await test.services.knex("locations").insert(row);
  return { id, key: await keyOfLocation(test.services.knex, id) };
}

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

/** A script whose runs have a quarter of one runner's browser. */
const aScript = (locations: string[]) =>
  test.newCheck({
    name: "Cart",
    type: "browser",
    browserConfig: { browserMode: "scripted", script: "await page.goto('https://example.com/');" },
    frequencySeconds: 60,
    locations,
  } as never);

/** Steps on once, after demand has to be counted anew. @returns wanted and live runners of the location */
async function stepAt(locationKey: number, afterMs = MINUTE_MS): Promise<[number, number] | undefined> {
  test.clock.advance(afterMs);
  await wanted.step();
  const row = await test.services.knex("location_scaling").where({ locationKey }).first();
  return row && [row.wanted, row.live];
}

describe("the wanted runners of a location", () => {
  it("are none without checks, one for the first, and as many as keep it at or below 80 %, as its page says", async () => {
    const office = await aLocation();
    expect(await stepAt(office.key)).toEqual([0, 0]);
    await test.newCheck({ frequencySeconds: 600, locations: [office.id] });
    expect(await stepAt(office.key)).toEqual([1, 0]);
    await connect([office.key]);
    for (let scripts = 0; scripts < 3; scripts++) await aScript([office.id]);
    expect(await stepAt(office.key)).toEqual([1, 1]);
    await aScript([office.id]);
    expect(await stepAt(office.key)).toEqual([2, 1]);
    const { body } = await test.call("GET", `/api/locations/${office.id}/capacity`);
    expect(body.location.shareBasisPoints).toBe(10_000);
    await connect([office.key]);
    expect(await stepAt(office.key)).toEqual([2, 2]);
  });

  it("are fewer only 10 minutes after the checks are gone, and none for a retired location", async () => {
    const office = await aLocation();
    await connect([office.key]);
    for (let scripts = 0; scripts < 5; scripts++) await aScript([office.id]);
    expect(await stepAt(office.key)).toEqual([2, 1]);
    await test.services.knex("checks").delete();
    expect(await stepAt(office.key)).toEqual([2, 1]);
    expect(await stepAt(office.key, 9 * MINUTE_MS + 59 * SECOND_MS)).toEqual([2, 1]);
    expect(await stepAt(office.key, SECOND_MS)).toEqual([0, 1]);
    await test.services.knex("locations").where({ id: office.id }).update({ status: "retired" });
    expect(await stepAt(office.key)).toBeUndefined();
  });

  it("are more when those that are there have said for a minute that they can take on nothing more", async () => {
    const office = await aLocation();
    await test.newCheck({ frequencySeconds: 600, locations: [office.id] });
    const ago = (ms: number) => ({ accepting: false, notAcceptingSince: new Date(Date.now() - ms) });
    await connect([office.key], ago(30_000));
    expect(await stepAt(office.key)).toEqual([1, 1]);
    await connect([office.key], ago(90_000));
    expect(await stepAt(office.key)).toEqual([3, 2]);
    await test.services.knex("runners").update({ accepting: true, notAcceptingSince: null });
    // Two were too few under this load, and are not tried again.
    expect(await stepAt(office.key, 60 * MINUTE_MS)).toEqual([3, 2]);
  });

  it("of hosted locations are counted over all teams, and over the locations that share runners", async () => {
    const [east, west] = await Promise.all(
      ["loc_us_east", "loc_us_west"].map((id) => keyOfLocation(test.services.knex, id)),
    );
    await connect([east as number, west as number], { locationKey: null });
    for (let scripts = 0; scripts < 2; scripts++) await aScript(["loc_us_east"]);
    expect(await stepAt(east as number)).toEqual([1, 1]);
    test.team = await test.createTeam();
    for (let scripts = 0; scripts < 2; scripts++) await aScript(["loc_us_west"]);
    expect(await stepAt(east as number)).toEqual([2, 1]);
    expect(await stepAt(west as number)).toEqual([2, 1]);
    const south = await keyOfLocation(test.services.knex, "loc_us_south");
    expect(await stepAt(south)).toEqual([0, 0]);
  });

  it("go with their location, and with its team", async () => {
    const office = await aLocation();
    expect(await stepAt(office.key)).toEqual([0, 0]);
    await test.services.knex("locations").where({ id: office.id }).delete();
    expect(await test.services.knex("location_scaling").where({ locationKey: office.key })).toEqual([]);
  });
});

describe("the metrics", () => {
  const lines = async (registry: Registry, id: string) =>
    (await registry.metrics()).split("\n").filter((line) => line.includes(id));

  it("of every replica tell what is stored, whichever counts", async () => {
    const office = await aLocation();
    await test.newCheck({ frequencySeconds: 600, locations: [office.id] });
    await connect([office.key]);
    const replicas = [new Registry(), new Registry()];
    const jobs = replicas.map((registry) => startScalingJob(test.services, registry));
    for (const registry of replicas)
      await expect
        .poll(
          () => {
            test.clock.advance(5_000);
            return lines(registry, office.id);
          },
          { timeout: 60_000 },
        )
        .toEqual([
          `svc_location_wanted_runners{location="${office.id}",kind="private"} 1`,
          `svc_location_live_runners{location="${office.id}",kind="private"} 1`,
        ]);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => void statements.push(sql);
    test.services.knex.on("query", note);
    for (let scrapes = 0; scrapes < 10; scrapes++) await replicas[0]?.metrics();
    test.services.knex.off("query", note);
    expect(statements.filter((sql) => sql.includes("location_scaling s")).length).toBeLessThanOrEqual(1);
    for (const job of jobs) await job.close();
    expect(await replicas[0]?.metrics()).not.toContain("svc_location");
  });

  it("are silent rather than old: numbers that nobody has counted for two minutes are not answered", async () => {
    const office = await aLocation();
    await stepAt(office.key);
    const { knex } = test.services;
    const isAnswered = async () => (await readScaling(knex, 1_000)).some(({ id }) => id === office.id);
    const ageBy = (seconds: number) =>
      knex.raw("UPDATE location_scaling SET computed_at = clock_timestamp() - ? * interval '1 s'", [seconds]);
    await ageBy(115);
    expect(await isAnswered()).toBe(true);
    await ageBy(121);
    expect(await isAnswered()).toBe(false);
  });

  it("name the hosted locations first, then those where something is to run", async () => {
    const [idle, office] = [await aLocation(), await aLocation()];
    await test.newCheck({ frequencySeconds: 600, locations: [office.id] });
    await stepAt(office.key);
    const rows = await readScaling(test.services.knex, 1_000);
    expect(rows.at(-1)?.id).not.toBe(office.id);
    const hosted = rows.filter(({ isHosted }) => isHosted).length;
    expect(rows.findIndex(({ id }) => id === office.id)).toBe(hosted);
    expect(rows.some(({ id }) => id === idle.id)).toBe(true);
    expect((await readScaling(test.services.knex, hosted + 1)).at(-1)?.id).toBe(office.id);
  });
});
