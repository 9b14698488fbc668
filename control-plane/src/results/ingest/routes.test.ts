import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, createTestClock, type TestApp } from "../../../test-support/app.ts";
import {
  aCheck,
  aTeam,
  recentSlots,
  startTestFleet,
  type TestCheck,
  type TestFleet,
  type TestTeam,
} from "../../../test-support/fleet.ts";
import { signDispatchToken } from "../../accounts/identity/dispatch-token.ts";
import { registerRunnerResultRoutes } from "./routes.ts";

let api: TestApp;
let fleet: TestFleet;
let team: TestTeam;
let check: TestCheck;
let slots: number[];
const logged: { msg: string; rejected?: number }[] = [];

beforeAll(async () => {
  api = await createTestApp({
    settings: { SVC_RUNNER_PORT: "0" },
    clock: createTestClock(Date.now()),
    log: pino({ level: "warn" }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    register: async (app, services) => {
      fleet = await startTestFleet(services, {});
      const { state, ingester } = fleet;
      registerRunnerResultRoutes(app, { state, ingester, refreshFleet: () => fleet.fleet.refresh() });
    },
  });
  team = await aTeam(api.database.knex);
  check = await aCheck(api.database.knex, team, { frequencySeconds: 10 });
  slots = recentSlots(check, 20).reverse();
});
afterAll(async () => {
  await fleet?.close();
  await api?.close();
});

const asRunner = (results: unknown[], token = team.runnerSecret) =>
  api.call("POST", "/api/runner/results", { results }, { authorization: `Bearer ${token}` });

function aDelivery(slotMs: number, overrides: Record<string, unknown> = {}) {
  return {
    checkId: check.id,
    locationId: team.locationId,
    slotAt: new Date(slotMs).toISOString(),
    startedAt: new Date(slotMs + 4).toISOString(),
    status: "success",
    responseTimeMs: 12.345,
    httpStatusCode: 200,
    timing: { tcpConnectMs: 1.5, ttfbMs: 9.25 },
    ...overrides,
  };
}

const stored = (slotMs: number) => api.database.knex("results").where({ checkKey: check.key, slotMs });

describe("delivering results over REST", () => {
  test("stores them as the stream does", async () => {
    const [slotMs = 0] = slots;
    const { status, body } = await asRunner([
      aDelivery(slotMs, { status: "failure", detail: { errorMessage: "no" } }),
    ]);
    expect([status, body]).toEqual([200, { accepted: 1, duplicates: 0, rejected: [] }]);
    expect(await stored(slotMs)).toMatchObject([
      {
        status: 2,
        startDelayMs: 4,
        responseTimeUs: 12_345,
        tcpConnectUs: 1500,
        ttfbUs: 9250,
        dnsLookupUs: null,
      },
    ]);
    const [detail] = await api.database.knex("resultDetails").where({ checkKey: check.key, slotMs });
    expect(detail.detail).toEqual({ errorMessage: "no" });
  });

  test("twice is harmless", async () => {
    const [, slotMs = 0] = slots;
    await asRunner([aDelivery(slotMs)]);
    expect((await asRunner([aDelivery(slotMs)])).body).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
  });

  test("names what can't be stored and stores the rest", async () => {
    const [, , slotMs = 0] = slots;
    const { body } = await asRunner([
      aDelivery(slotMs + 1),
      aDelivery(slotMs),
      aDelivery(slotMs, { checkId: "chk_none" }),
      aDelivery(slotMs, { locationId: "loc_us_east" }),
    ]);
    expect(body).toMatchObject({
      accepted: 1,
      duplicates: 0,
      rejected: [{ index: 0 }, { index: 2 }, { index: 3 }],
    });
  });

  test("of rejected results the log tells at most once a minute, with how many there were", async () => {
    const rejectedOnce = async () => {
      const [, , slotMs = 0] = slots;
      return (await asRunner([aDelivery(slotMs + 1)])).body.rejected;
    };
    api.clock.advance(60_000);
    logged.length = 0;
    for (let i = 0; i < 3; i++) expect(await rejectedOnce()).toHaveLength(1);
    const warned = () =>
      logged.filter(({ msg }) => msg === "results rejected").map(({ rejected }) => rejected);
    expect(warned()).toHaveLength(1);
    api.clock.advance(60_000);
    await rejectedOnce();
    expect(warned().slice(1)).toEqual([3]);
  });

  test("a check of another team reads like one that does not exist", async () => {
    const other = await aTeam(api.database.knex);
    const foreign = await aCheck(api.database.knex, other, { frequencySeconds: 10 });
    const delivery = aDelivery(recentSlots(foreign, 1)[0] ?? 0, { checkId: foreign.id });
    const missing = aDelivery(recentSlots(foreign, 1)[0] ?? 0, { checkId: "chk_none" });
    const { body } = await asRunner([delivery, missing]);
    expect(body.rejected.map(({ reason }: { reason: string }) => reason)).toEqual(
      Array(2).fill("checkId: no such check"),
    );
  });

  test("a check that this replica has not heard of yet is looked up", async () => {
    const fresh = await aCheck(api.database.knex, team, { frequencySeconds: 10 });
    const { body } = await asRunner([aDelivery(recentSlots(fresh, 1)[0] ?? 0, { checkId: fresh.id })]);
    expect(body.accepted).toBe(1);
  });

  test("a dispatch token delivers its one run and nothing else", async () => {
    const [, , , slotMs = 0, other = 0] = slots;
    const token = signDispatchToken(
      api.services.secrets,
      { checkKey: check.key, locationKey: team.locationKey, slotMs },
      api.clock.nowMs() + 60_000,
    );
    const { body } = await asRunner([aDelivery(slotMs), aDelivery(other)], token);
    expect(body).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1, reason: expect.stringMatching(/another run/) }],
    });
  });

  test.each([
    ["nothing", {}, 400],
    ["no results", { results: [] }, 400],
    ["a status of no meaning", { results: [{ status: "fine" }] }, 400],
    ["a misspelt field", { results: [{ slotat: "" }] }, 400],
  ])("%s is 400", async (_name, payload, expected) => {
    const answer = await api.call("POST", "/api/runner/results", payload, {
      authorization: `Bearer ${team.runnerSecret}`,
    });
    expect(answer.status).toBe(expected);
  });

  test("an API key is 401", async () => {
    expect((await asRunner([aDelivery(slots[5] ?? 0)], api.team.apiKey)).status).toBe(401);
  });
});
