import { type MissingReason, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { recordMissedDispatches } from "./record-missed-dispatches.ts";
import { registerCoverageRoutes } from "./routes.ts";

let test: TestApp;
let locationKey: number;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCoverageRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  locationKey = await keyOfLocation(test.services.knex, "loc_us_east");
});
afterAll(() => test.close());
beforeEach(() => test.clock.advance(24 * 3_600_000));

/** Grace, longest run of a browser check with a limit of 30 s, and the lease in which a lost runner may come back. */
const OVER_MS = 30_000 + 50_000 + 15_000;

/** A browser check made now, whose first run is dispatched at once. */
async function aNewBrowserCheck() {
  const answer = await test.call("POST", "/api/checks", {
    ...aCheck({ frequencySeconds: 86_400 }),
    type: "browser",
    httpConfig: undefined,
    browserConfig: { browserMode: "url", url: "https://shop.example.com/" },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const { id } = answer.body.check;
  const key = await keyOfCheck(test.services.knex, id);
  const [run] = await test.services.knex("manualRuns").where({ checkKey: key });
  return { id, key, slotMs: Number(run.slotMs) };
}

interface RunnerTimes {
  fromMs: number;
  untilMs: number;
  /** Instant at which it connected anew. */
  brokeAtMs?: number;
  capabilities?: string[];
}

/** A runner that was at the location for a time. */
async function aRunner({ fromMs, untilMs, brokeAtMs, capabilities = ["browser"] }: RunnerTimes) {
  const { knex } = test.services;
  const [runner] = await knex("runners")
    .insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      runnerKeyId: newId("runnerKey"),
      locationKeys: [locationKey],
      hostname: "h",
      version: "1",
      capabilities,
      capacityPerSecond: 1,
      replicaId: "a",
      connectedAt: new Date(brokeAtMs ?? fromMs),
      lastHeartbeatAt: new Date(untilMs),
      leaseUntil: new Date(untilMs),
    })
    .returning("key");
  await knex("runnerPresence").insert({ runnerKey: runner.key, locationKey, capabilities, fromMs, untilMs });
  if (brokeAtMs !== undefined)
    await knex("runnerBreaks").insert({
      runnerKey: runner.key,
      locationKey,
      fromMs: brokeAtMs,
      untilMs: brokeAtMs,
    });
  return async () => {
    await knex("runnerPresence").where({ runnerKey: runner.key }).delete();
    await knex("runners").where({ key: runner.key }).delete();
  };
}

const record = () => {
  const nowMs = test.clock.nowMs();
  return recordMissedDispatches(test.services.knex, { fromMs: nowMs - 900_000, nowMs });
};
const recorded = (checkKey: number) =>
  test.services.knex("missedSlots").where({ checkKey }).select("slotMs", "locationKey", "reason");

describe("the first run of a new browser check", () => {
  const ways: [string, (slotMs: number) => RunnerTimes[], MissingReason][] = [
    ["while no runner is connected", () => [], "no_runner"],
    [
      "while no runner has a browser",
      (at) => [{ fromMs: at - 1, untilMs: at + OVER_MS, capabilities: ["http"] }],
      "no_capable_runner",
    ],
    [
      "whose runner disconnects after it accepted it",
      (at) => [{ fromMs: at - 1, untilMs: at + 5_000 }],
      "runner_lost",
    ],
    [
      "before a restart of the service, after which the same runner connects again",
      (at) => [{ fromMs: at - 1, untilMs: at + OVER_MS, brokeAtMs: at + 40_000 }],
      "runner_lost",
    ],
    [
      "whose runner stays connected and says nothing",
      (at) => [{ fromMs: at - 1, untilMs: at + OVER_MS }],
      "unknown",
    ],
  ];

  it.each(ways)(
    "%s is missing, with its reason, 95 s after it was dispatched",
    async (_way, runners, reason) => {
      const check = await aNewBrowserCheck();
      const removals = await Promise.all(runners(check.slotMs).map(aRunner));
      try {
        test.clock.advance(check.slotMs + OVER_MS - 1 - test.clock.nowMs());
        await record();
        expect(await recorded(check.key)).toEqual([]);
        test.clock.advance(1);
        await record();
        expect(await recorded(check.key)).toEqual([{ slotMs: check.slotMs, locationKey, reason }]);
      } finally {
        for (const remove of removals) await remove();
      }
      // The reason was recorded: it stays when nothing is known of the runners any more.
      const { body } = await test.call("GET", `/api/checks/${check.id}/coverage?range=1h`);
      expect(body.locations[0]).toMatchObject({
        expected: 1,
        received: 0,
        missing: [{ slotAt: new Date(check.slotMs).toISOString(), reason }],
      });
    },
  );

  it("that was given back keeps the reason of its runner", async () => {
    const check = await aNewBrowserCheck();
    const given = { checkKey: check.key, locationKey, slotMs: check.slotMs, reason: "runner_capacity" };
    await test.services.knex("missedSlots").insert(given);
    test.clock.advance(OVER_MS + 1);
    await record();
    expect(await recorded(check.key)).toMatchObject([{ reason: "runner_capacity" }]);
  });

  it("that has its result is not missing, also when that came after the reason", async () => {
    const [inTime, late] = [await aNewBrowserCheck(), await aNewBrowserCheck()];
    const store = ({ key, slotMs }: typeof late) =>
      storeResults(test.services.knex, [aResult({ checkKey: key, locationKey, slotMs })]);
    await store(inTime);
    test.clock.advance(OVER_MS + 1);
    await record();
    await store(late);
    expect(await recorded(inTime.key)).toEqual([]);
    for (const { id } of [inTime, late]) {
      const { body } = await test.call("GET", `/api/checks/${id}/coverage?range=1h`);
      expect(body.locations[0]).toMatchObject({ expected: 1, received: 1, missing: [] });
    }
  });
});
