import { type Check, type LocationId, resultIdOf, runIdOf } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { rollUp } from "./rollups/roll-up.ts";
import { registerResultRoutes } from "./routes.ts";

const LOCATIONS = ["loc_us_east", "loc_us_west"] as LocationId[];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let test: TestApp;
let east: number;
let west: number;
let check: Check & { key: number };
let newestMs: number;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerResultRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  east = await keyOfLocation(test.services.knex, "loc_us_east");
  west = await keyOfLocation(test.services.knex, "loc_us_west");
});
afterAll(() => test.close());

beforeEach(async () => {
  // The results of each test are stored by hand, behind the back of the rollups.
  await test.services.knex("jobProgress").del();
  const { body } = await test.call("POST", "/api/checks", aCheck({ locations: LOCATIONS, enabled: false }));
  check = { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
  newestMs = Math.floor(test.clock.nowMs() / HOUR_MS) * HOUR_MS;
});

/** Ten hours of results, one a minute, oldest last: slot i lies i minutes before the newest. */
async function fill(special: Record<number, object>, locationKey = east): Promise<void> {
  await storeResults(
    test.services.knex,
    Array.from({ length: 600 }, (_, i) =>
      aResult({ checkKey: check.key, locationKey, slotMs: newestMs - i * MINUTE_MS }, special[i]),
    ),
  );
}

const timeout = { status: 4, responseTimeUs: 30_000_000, detail: { errorCategory: "timeout" } };
const failure = { status: 2, detail: { errorCategory: "assertion", errorMessage: "=1+1" } };

const get = (path: string) => test.call("GET", `/api/checks/${check.id}${path}`);
const idAt = (minutesAgo: number, locationKey = east) =>
  resultIdOf({ checkKey: check.key, locationKey, slotMs: newestMs - minutesAgo * MINUTE_MS });
const idsOf = async (query: string) => {
  const { status, body } = await get(`/results?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.results.map(({ id }: { id: string }) => id);
};

describe.each(["rolled up", "not rolled up"])("a filtered list of results that are %s", (state) => {
  beforeEach(async () => {
    await fill({ 3: timeout, 250: failure, 400: timeout, 599: failure });
    await fill({ 250: failure }, west);
    // The job's clock is the database's; here all of these hours are over.
    if (state === "rolled up") await rollUp(test.services.knex, newestMs + 2 * HOUR_MS);
  });

  it.each([
    ["status=timeout", [[3], [400]]],
    ["status=failure", [[250], [250, "west"], [599]]],
    ["status=failure&locationId=loc_us_west", [[250, "west"]]],
    ["category=assertion&limit=1", [[250]]],
    ["slowerThanMs=20000", [[3], [400]]],
    ["slowerThanMs=20000&category=dns", []],
    ["status=error", []],
  ] as const)("%s", async (query, expected) => {
    const ids = expected.map(([minutes, at]) => idAt(minutes, at === "west" ? west : east));
    expect(await idsOf(query)).toEqual(ids);
  });

  it("a time leaves out what lies at or behind its end", async () => {
    const at = (minutesAgo: number) => new Date(newestMs - minutesAgo * MINUTE_MS).toISOString();
    expect(await idsOf(`status=timeout&from=${at(400)}&to=${at(3)}`)).toEqual([idAt(400)]);
    expect(await idsOf(`from=${at(1)}&locationId=loc_us_east`)).toEqual([idAt(0), idAt(1)]);
  });

  it("pages follow one another by cursor, and before a result begins behind it", async () => {
    const first = await get("/results?status=failure&limit=1");
    const second = await get(`/results?status=failure&limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body.results.map(({ id }: { id: string }) => id)).toEqual([idAt(250, west), idAt(599)]);
    expect(second.body.nextCursor).toBeUndefined();
    expect(await idsOf(`status=failure&before=${idAt(250, west)}`)).toEqual([idAt(599)]);
    expect(await idsOf(`status=success&locationId=loc_us_east&before=${idAt(3)}&limit=1`)).toEqual([idAt(4)]);
  });
});

it.each([
  ["status=failure&offset=1", "offset"],
  ["before=res_x", "before"],
  ["category=dns&from=2020-01-01T00:00:00Z", "from"],
  ["slowerThanMs=fast", "slowerThanMs"],
  ["status=red", "status"],
])("%s is refused, with the name of the field", async (query, field) => {
  const { status, body } = await get(`/results?${query}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(field)]);
});

it("a result names its neighbors at its location, and null at the ends", async () => {
  await storeResults(
    test.services.knex,
    [0, 1, 2].map((i) =>
      aResult({ checkKey: check.key, locationKey: east, slotMs: newestMs - i * MINUTE_MS }),
    ),
  );
  const neighbors = async (minutesAgo: number) => {
    const { body } = await get(`/results/${idAt(minutesAgo)}`);
    return [body.previousId, body.nextId];
  };
  expect(await neighbors(1)).toEqual([idAt(2), idAt(0)]);
  expect(await neighbors(0)).toEqual([idAt(1), null]);
  expect(await neighbors(2)).toEqual([null, idAt(1)]);
});

describe("a run", () => {
  it("a triggered one is answered before and after its results, and says so", async () => {
    const { body: triggered } = await test.call("POST", `/api/checks/${check.id}/trigger`);
    const { body: joined } = await test.call("POST", `/api/checks/${check.id}/trigger`);
    expect(joined.runId).toBe(triggered.runId);
    const waiting = await get(`/runs/${triggered.runId}`);
    expect(waiting.body.run).toMatchObject({ reason: "triggered", locations: LOCATIONS, results: [] });
    const slotMs = Date.parse(waiting.body.run.slotAt);
    await storeResults(test.services.knex, [aResult({ checkKey: check.key, locationKey: east, slotMs })]);
    const { body } = await get(`/runs/${triggered.runId}`);
    expect(body.run.results).toMatchObject([{ locationId: "loc_us_east", reason: "triggered", lateMs: 5 }]);
  });

  it("a slot that is none of the check's, and a run of another check, are not found", async () => {
    const elsewhere = runIdOf({ checkKey: check.key + 1, slotMs: newestMs });
    const never = runIdOf({ checkKey: check.key, slotMs: newestMs - 1 });
    for (const id of [elsewhere, never, "run_x"]) expect((await get(`/runs/${id}`)).status).toBe(404);
  });
});

it("the download has a head, a line for each result, and no cell that is a formula", async () => {
  await fill({ 250: failure, 251: timeout });
  const answer = await test.app.inject({
    url: `/api/checks/${check.id}/results.csv?status=failure`,
    headers: test.team.byKey,
  });
  expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
  const [head, line, end] = answer.body.split("\r\n");
  expect(head).toMatch(/^id,runId,slotAt,/);
  expect(line).toMatch(/^res_\w+,run_\w+,.*,failure,12\.345,200,.*,assertion,'=1\+1$/);
  expect(end).toBe("");
  const all = await test.app.inject({ url: `/api/checks/${check.id}/results.csv`, headers: test.team.byKey });
  expect(all.body.trimEnd().split("\r\n")).toHaveLength(601);
});
