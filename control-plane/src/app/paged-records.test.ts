import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck } from "../../test-support/builders.ts";
import { registerApiKeyRoutes } from "../accounts/api-keys/routes.ts";
import { registerAlertRoutes } from "../alerting/routes.ts";
import { registerSloRoutes } from "../alerting/slos/routes.ts";
import { registerSpecRoutes } from "../checks/api-specs/routes.ts";
import { registerLocationRoutes } from "../checks/locations/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { assertChannelsExist } from "../outbox/channels/assert-channels-exist.ts";
import { registerIncidentRoutes } from "../response/incidents/routes.ts";
import { registerDeploymentRoutes } from "../telemetry/deployment-markers/routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      registerAlertRoutes(app, services);
      registerSloRoutes(app, services);
      registerIncidentRoutes(app, services);
      registerDeploymentRoutes(app, services);
      registerApiKeyRoutes(app, services);
      await registerLocationRoutes(app, services, assertChannelsExist);
      await registerSpecRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

type Entry = { id: string };

const post = async (url: string, body: Record<string, unknown>) => {
  const answer = await test.call("POST", url, body, { ...test.team.bySession });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const get = (url: string) => test.call("GET", url, undefined, test.team.bySession);

/** Reads a list page by page; `between` is called after each page. */
async function readPages(url: string, name: string, between: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const { status, body } = await get(url + query);
    expect(status).toBe(200);
    expect(body[name].length).toBeLessThanOrEqual(2);
    seen.push(...body[name].map(({ id }: Entry) => id));
    if (body.nextCursor === undefined) return seen;
    expect(body[name]).toHaveLength(2);
    query = `?limit=2&cursor=${body.nextCursor}`;
    await between();
  }
}

describe("a list of records", () => {
  it("has every record once when it is read by cursor, also while records are added and deleted", async () => {
    const { check } = await post("/api/checks", aCheck() as unknown as Record<string, unknown>);
    const slo = { checkId: check.id, targetBasisPoints: 9_900, windowDays: 7 };
    const lists = [
      {
        url: "/api/events/deployments",
        list: "/api/deployments",
        name: "deployments",
        body: () => ({ service: "shop", version: "1" }),
      },
      { url: "/api/slos", name: "slos", body: (n: number) => ({ ...slo, name: `S ${n}` }) },
      { url: "/api/api-keys", name: "keys", body: (n: number) => ({ name: `K ${n}` }) },
    ];
    for (const { url, list = url, name, body } of lists) {
      for (let n = 0; n < 5; n++) {
        test.clock.advance(n % 2);
        await post(url, body(n));
      }
      const whole = (await get(list)).body[name].map(({ id }: Entry) => id);
      test.clock.advance(1);
      expect(await readPages(list, name, () => post(url, body(100)))).toEqual(whole);
    }
  });

  it("of locations is paged in its own order, and whole without parameters", async () => {
    for (const name of ["One", "Two", "Three"]) await post("/api/locations", { name });
    const { locations, ...rest } = (await get("/api/locations")).body;
    expect(rest).toEqual({});
    expect(locations).toHaveLength(17);
    const ids = locations.map(({ id }: Entry) => id);
    expect(await readPages("/api/locations", "locations", async () => undefined)).toEqual(ids);
  });

  it.each([
    ["/api/alerts/instances", "instances"],
    ["/api/incidents", "incidents"],
  ])("%s echoes limit and offset, and refuses what is no cursor of it", async (url, name) => {
    expect((await get(`${url}?limit=3&offset=30000`)).body).toEqual({ [name]: [], limit: 3, offset: 30_000 });
    const { status, body } = await get(`${url}?cursor=bm9uZQ`);
    expect([status, body.details.fieldErrors.cursor]).toEqual([400, [expect.stringContaining("nextCursor")]]);
    const cursor = Buffer.from(JSON.stringify(["2026-01-01T00:00:00.000Z", name === "instances" ? "x" : 1]));
    expect((await get(`${url}?cursor=${cursor.toString("base64url")}`)).status).toBe(200);
  });

  it("/api/specs is empty page by page, too", async () => {
    const cursor = Buffer.from(JSON.stringify(["2026-01-01T00:00:00.000Z", "spec_x"])).toString("base64url");
    expect((await get(`/api/specs?limit=1&cursor=${cursor}`)).body).toEqual({ specs: [] });
  });

  it("skips at most 20,000 records one by one, and says how to go farther back", async () => {
    const other = await test.createTeam();
    await test.services.knex.raw(
      `INSERT INTO deployments (id, team_id, service, version, created_at)
       SELECT 'dep_' || n, ?, 'shop', n::text, now() FROM generate_series(1, 20010) AS n`,
      [other.teamId],
    );
    const at = (offset: number) =>
      test.call("GET", `/api/deployments?limit=5&offset=${offset}`, undefined, other.byKey);
    expect((await at(20_000)).body.deployments).toHaveLength(5);
    const beyond = await at(20_001);
    expect(beyond.status).toBe(400);
    expect(beyond.body.details.fieldErrors.offset).toEqual([
      expect.stringMatching(/largest is 20000.*cursor/),
    ]);
  });
});
