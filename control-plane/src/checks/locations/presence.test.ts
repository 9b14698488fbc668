import { DAY_MS, HOUR_MS, MINUTE_MS, newId } from "@svc/contract";
import { beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { keyOfLocation } from "../../../test-support/builders.ts";
import { createLocation, useChecksApp } from "../../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

let locationId: string;
beforeEach(async () => {
  locationId = (await createLocation(test)).id;
});

/** Stores a runner of a location, heard of just now. */
async function aRunner(hostname: string, at = locationId): Promise<number> {
  const { knex } = test.services;
  const locationKey = await keyOfLocation(knex, at);
  const now = new Date(test.clock.nowMs());
  const [row] = await knex("runners")
    .insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      locationKey,
      runnerKeyId: newId("runnerKey"),
      locationKeys: [locationKey],
      hostname,
      version: "0.1.0",
      capabilities: ["http"],
      capacityPerSecond: 10,
      replicaId: "a",
      connectedAt: now,
      lastHeartbeatAt: now,
      leaseUntil: new Date(Date.now() + 60_000),
      stats: { backlog: 3 },
    })
    .returning("key");
  return row.key;
}

async function wasThere(runnerKey: number, fromMs: number, untilMs: number): Promise<void> {
  const locationKey = await keyOfLocation(test.services.knex, locationId);
  await test.services
    .knex("runnerPresence")
    .insert({ runnerKey, locationKey, capabilities: [], fromMs, untilMs });
}

const presence = (query = "", of = locationId) => test.call("GET", `/api/locations/${of}/presence${query}`);
const iso = (ms: number) => new Date(ms).toISOString();

describe("the presence of runners", () => {
  it("holds the times that touch the range, cut to its begin, oldest first", async () => {
    const nowMs = test.clock.nowMs();
    const [first, second] = [await aRunner("one"), await aRunner("two")];
    await wasThere(first, nowMs - 9 * DAY_MS, nowMs - 8 * DAY_MS);
    await wasThere(first, nowMs - 7.5 * DAY_MS, nowMs - 5 * DAY_MS);
    await wasThere(second, nowMs - HOUR_MS, nowMs - MINUTE_MS);
    const { status, body } = await presence();
    expect([status, body.isComplete, body.from, body.to]).toEqual([
      200,
      true,
      iso(nowMs - 7 * DAY_MS),
      iso(nowMs),
    ]);
    expect(body.presences).toMatchObject([
      { hostname: "one", from: iso(nowMs - 7 * DAY_MS), until: iso(nowMs - 5 * DAY_MS) },
      { hostname: "two", from: iso(nowMs - HOUR_MS), until: iso(nowMs - MINUTE_MS) },
    ]);
    expect((await presence("?range=24h")).body.presences).toHaveLength(1);
    expect((await presence("?range=30d")).body.presences).toHaveLength(3);
    expect((await presence("?range=13m")).status).toBe(400);
  });

  it("answers the newest 2,000 times and says that there were more", async () => {
    const key = await aRunner("flapping");
    const locationKey = await keyOfLocation(test.services.knex, locationId);
    await test.services.knex.raw(
      `INSERT INTO runner_presence (runner_key, location_key, capabilities, from_ms, until_ms)
       SELECT ?, ?, '{}', ?::bigint - n * 1000, ?::bigint - n * 1000 + 500 FROM generate_series(1, 2001) n`,
      [key, locationKey, test.clock.nowMs(), test.clock.nowMs()],
    );
    const { body } = await presence();
    expect([body.presences.length, body.isComplete]).toEqual([2_000, false]);
    expect(body.presences[0].from).toBe(iso(test.clock.nowMs() - 2_000_000));
  });

  it("is not shown of hosted locations, nor of another team's", async () => {
    expect((await presence("", "loc_us_east")).status).toBe(403);
    const stranger = await test.createTeam();
    const path = `/api/locations/${locationId}/presence`;
    expect((await test.call("GET", path, undefined, stranger.byKey)).status).toBe(404);
  });
});

describe("the list of runners", () => {
  it("holds those of all private locations of the team with their figures, page by page", async () => {
    const { id: other } = await createLocation(test, "lab");
    await aRunner("one");
    await aRunner("two", other);
    await aRunner("three");
    const all = (await test.call("GET", "/api/runners")).body;
    expect(all.runners).toMatchObject([
      { hostname: "one", locationId, backlog: 3, status: "online" },
      { hostname: "two", locationId: other },
      { hostname: "three", locationId },
    ]);
    const first = (await test.call("GET", "/api/runners?limit=2")).body;
    const second = (await test.call("GET", `/api/runners?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.runners, ...second.runners]).toEqual(all.runners);
    expect((await test.call("GET", "/api/runners?offset=2")).body.runners).toEqual(second.runners);
  });

  it("holds no runner of another team or of the hosted pool", async () => {
    await aRunner("mine");
    await aRunner("hosted", "loc_us_east");
    const stranger = await test.createTeam();
    expect((await test.call("GET", "/api/runners", undefined, stranger.byKey)).body.runners).toEqual([]);
    expect((await test.call("GET", "/api/runners")).body.runners).toHaveLength(1);
  });
});
