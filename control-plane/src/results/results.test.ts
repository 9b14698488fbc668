import { type Check, newId, type Result, resultIdOf, runIdOf } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerResultRoutes } from "./routes.ts";

const LOCATIONS = ["loc_us_east", "loc_us_west"];

let test: TestApp;
let locationKeys: number[];

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerResultRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  locationKeys = await Promise.all(LOCATIONS.map((id) => keyOfLocation(test.services.knex, id)));
});
afterAll(() => test.close());

async function createCheck(overrides: object = {}): Promise<Check & { key: number }> {
  const { body } = await test.call("POST", "/api/checks", {
    ...aCheck({ locations: LOCATIONS }),
    ...overrides,
  });
  return { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
}

const list = (check: Check, query = "") => test.call("GET", `/api/checks/${check.id}/results${query}`);

/**
 * A result per location for each of `count` slots a minute apart, from `fromMs` back, newest first as the API lists
 * them.
 */
async function storeMinutes(check: { key: number }, count: number, fromMs: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, i) => fromMs - i * 60_000).flatMap((slotMs) =>
    locationKeys.map((locationKey) => ({ checkKey: check.key, locationKey, slotMs })),
  );
  await storeResults(
    test.services.knex,
    keys.map((key) => aResult(key)),
  );
  return keys
    .sort((a, b) => b.slotMs - a.slotMs || a.locationKey - b.locationKey)
    .map((key) => resultIdOf(key));
}

const idsOf = (results: Result[]) => results.map((result) => result.id);

describe("a result", () => {
  const slotMs = Date.UTC(2026, 5, 1, 11, 59);

  it("a success has its phases in ms, and a phase that did not happen is absent", async () => {
    const check = await createCheck();
    const key = { checkKey: check.key, locationKey: locationKeys[0] ?? 0, slotMs };
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const phases = { dnsLookupUs: 1_001, tcpConnectUs: 0, ttfbUs: 10_000, contentTransferUs: 344 };
    await storeResults(test.services.knex, [aResult(key, { traceId, ...phases })]);
    const { status, body } = await list(check);
    expect(status).toBe(200);
    expect(body).toEqual({
      limit: 50,
      offset: 0,
      results: [
        {
          id: resultIdOf(key),
          checkId: check.id,
          runId: runIdOf(key),
          locationId: "loc_us_east",
          status: "success",
          responseTimeMs: 12.345,
          httpStatusCode: 200,
          timing: {
            dnsLookupMs: 1.001,
            tcpConnectMs: 0,
            ttfbMs: 10,
            contentTransferMs: 0.344,
            totalMs: 12.345,
          },
          traceId,
          errorCategory: null,
          errorMessage: null,
          slotAt: "2026-06-01T11:59:00.000Z",
          startedAt: "2026-06-01T11:59:00.005Z",
          completedAt: "2026-06-01T11:59:00.018Z",
          reason: "scheduled",
          runnerId: null,
          lateMs: null,
        },
      ],
    });
  });

  it.each([
    [2, "failure", "assertion"],
    [3, "error", "dns"],
    [4, "timeout", "timeout"],
  ])(
    "stored status %i is %s, with category and message in the list",
    async (stored, status, errorCategory) => {
      const check = await createCheck();
      const key = { checkKey: check.key, locationKey: locationKeys[0] ?? 0, slotMs };
      const detail = { errorCategory, errorMessage: "what went wrong", assertions: [] };
      await storeResults(test.services.knex, [
        aResult(key, { status: stored, httpStatusCode: null, detail }),
      ]);
      const { body } = await list(check);
      expect(body.results[0]).toMatchObject({
        status,
        errorCategory,
        errorMessage: "what went wrong",
        httpStatusCode: null,
      });
      expect(body.results[0]).not.toHaveProperty("assertions");
    },
  );

  it("detail of a success without results of assertions shows the last kept ones, of its location, with their instant", async () => {
    const check = await createCheck();
    const assertions = [{ type: "status_code", passed: true, expected: 200, actual: 200 }];
    const stored = (minutesAgo: number, overrides: object = {}, location = 0) =>
      aResult(
        {
          checkKey: check.key,
          locationKey: locationKeys[location] ?? 0,
          slotMs: slotMs - minutesAgo * 60_000,
        },
        overrides,
      );
    const kept = { detail: { passed: '[["status_code",200]]' } };
    const failed = { status: 2, detail: { errorMessage: "got 500", assertions: [] } };
    const elsewhere = stored(1, kept, 1);
    await storeResults(test.services.knex, [
      stored(0),
      elsewhere,
      stored(2, failed),
      stored(3),
      stored(4, kept),
      stored(5, { detail: { passed: '[["status_code",201]]' } }),
      stored(200),
    ]);
    const { body } = await list(check, "?detail=true");
    const shown = { resultId: resultIdOf(stored(4)), startedAt: "2026-06-01T11:55:00.005Z", assertions };
    expect(
      body.results.map(({ assertions, keptAssertions }: Result) => [assertions, keptAssertions]),
    ).toEqual([
      [null, shown],
      [assertions, null],
      [[], null],
      [null, shown],
      [assertions, null],
      [[{ ...assertions[0], expected: 201, actual: 201 }], null],
      [null, null],
    ]);
    const { body: one } = await test.call("GET", `/api/checks/${check.id}/results/${resultIdOf(stored(0))}`);
    expect(one.result.keptAssertions).toEqual(shown);
  });

  it("detail adds evidence, and null for what an HTTP run did not have", async () => {
    const check = await createCheck();
    const locationKey = locationKeys[0] ?? 0;
    const assertions = [
      { type: "status_code", passed: false, expected: 200, actual: 500, message: "got 500" },
    ];
    await storeResults(test.services.knex, [
      aResult(
        { checkKey: check.key, locationKey, slotMs },
        { status: 2, detail: { assertions, errorMessage: "got 500", notes: ["cut short"] } },
      ),
      aResult({ checkKey: check.key, locationKey, slotMs: slotMs - 60_000 }),
    ]);
    const { body } = await list(check, "?detail=true");
    expect(body.results[0]).toMatchObject({
      assertions,
      response: null,
      attempts: null,
      recoveredOnRetry: false,
      notes: ["cut short"],
    });
    expect(body.results[1]).toMatchObject({
      assertions: null,
      agentPersonaParityJson: null,
      agentReadinessJson: null,
    });
    expect(body.results[1]).not.toHaveProperty("screenshotsJson");
    expect((await list(check, "?detail=1")).body.results[0]).not.toHaveProperty("assertions");
  });

  it("detail of a browser check has the browser's fields", async () => {
    const check = await createCheck({
      type: "browser",
      httpConfig: undefined,
      browserConfig: { browserMode: "url", url: "http://127.0.0.1:9/" },
    });
    const screenshotsJson = [
      {
        step: "open",
        sha256: "ab".repeat(32),
        contentType: "image/jpeg",
        bytes: 1,
        takenAt: "2026-05-20T00:00:00.000Z",
      },
    ];
    const key = { checkKey: check.key, locationKey: locationKeys[0] ?? 0, slotMs };
    await storeResults(test.services.knex, [aResult(key, { detail: { screenshotsJson } })]);
    const { body } = await list(check, "?detail=true");
    expect(body.results[0]).toMatchObject({
      screenshotsJson,
      networkRequestsJson: null,
      agentViewJson: null,
    });
    expect(body.results[0]).not.toHaveProperty("agentReadinessJson");
  });

  it("one is read by its id, with detail", async () => {
    const check = await createCheck();
    const [id] = await storeMinutes(check, 1, slotMs);
    const { status, body } = await test.call("GET", `/api/checks/${check.id}/results/${id}`);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ id, checkId: check.id, assertions: null });
  });

  it("another check's result, an unknown one, and what is no result's id are not found", async () => {
    const [check, other] = [await createCheck(), await createCheck()];
    const [id] = await storeMinutes(other, 1, slotMs);
    const unknown = resultIdOf({ checkKey: check.key, locationKey: 1, slotMs: 1 });
    const absurd = resultIdOf({ checkKey: check.key, locationKey: 2 ** 32 - 1, slotMs: 2 ** 48 - 1 });
    for (const resultId of [
      id,
      unknown,
      absurd,
      newId("check"),
      "res_",
      "res_'--",
      "..%2f..",
      "res_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    ]) {
      const answer = await test.call("GET", `/api/checks/${check.id}/results/${resultId}`);
      expect([resultId, answer.status]).toEqual([resultId, 404]);
    }
  });
});

describe("the list", () => {
  it("pages through every result once, newest slot first, across days and locations", async () => {
    const check = await createCheck();
    const midnight = Date.UTC(2026, 4, 20);
    const ids = await storeMinutes(check, 20, midnight + 10 * 60_000);
    const seen: string[] = [];
    for (let offset = 0; offset < 45; offset += 7) {
      const { body } = await list(check, `?limit=7&offset=${offset}`);
      expect(body).toMatchObject({ limit: 7, offset });
      seen.push(...idsOf(body.results));
    }
    expect(seen).toEqual(ids);
  });

  it("a check comes with its 50 newest results", async () => {
    const check = await createCheck();
    const ids = await storeMinutes(check, 30, Date.UTC(2026, 4, 21));
    const { body } = await test.call("GET", `/api/checks/${check.id}`);
    expect(idsOf(body.results)).toEqual(ids.slice(0, 50));
  });

  it("results of locations that the check has left are still listed", async () => {
    const check = await createCheck();
    const ids = await storeMinutes(check, 1, Date.UTC(2026, 4, 21));
    await test.call("PUT", `/api/checks/${check.id}`, { locations: ["loc_eu_west"] });
    expect(idsOf((await list(check)).body.results)).toEqual(ids);
  });

  it.each([
    ["limit=0", "limit", "smallest is 1"],
    ["limit=201", "limit", "largest is 200"],
    ["limit=ten", "limit", "expected a whole number, 0 or more"],
    ["limit=", "limit", "expected a whole number, 0 or more"],
    ["limit=1e1", "limit", "expected a whole number, 0 or more"],
    ["offset=-1", "offset", "expected a whole number, 0 or more"],
    ["offset=1.5", "offset", "expected a whole number, 0 or more"],
    ["limit=1&limit=2", "limit", "expected a string, got an array"],
  ])("%s is 400", async (query, field, message) => {
    const { status, body } = await list(await createCheck(), `?${query}`);
    expect(status).toBe(400);
    expect(body.details.fieldErrors).toEqual({ [field]: [message] });
  });

  it.each(["10000", "9007199254740991", "99999999999999999999999999"])(
    "offset %s is beyond the end, not an error",
    async (offset) => {
      const check = await createCheck();
      await storeMinutes(check, 2, Date.UTC(2026, 4, 21));
      const { status, body } = await list(check, `?limit=200&offset=${offset}`);
      expect(status).toBe(200);
      expect(body.results).toEqual([]);
      expect(body.offset).toBe(Math.min(Number(offset), Number.MAX_SAFE_INTEGER));
    },
  );
});
