import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../test-support/builders.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { hashToken } from "../identity/tokens.ts";
import { registerLocationRoutes } from "./routes.ts";
import { seedHostedLocations } from "./seed.ts";

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerLocationRoutes(app, services);
      registerCheckRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

beforeEach(async () => {
  test.team = await test.createTeam();
});

async function createLocation(name = "office", team = test.team) {
  const answer = await test.call("POST", "/api/locations", { name }, team.byKey);
  expect(answer.status).toBe(201);
  return answer.body.location;
}

describe("listing", () => {
  it("a team sees the 14 hosted locations and its own private ones", async () => {
    const own = await createLocation();
    const { body } = await test.call("GET", "/api/locations");
    expect(body.locations).toHaveLength(15);
    expect(body.locations[0]).toEqual({
      id: "loc_us_east",
      name: "us-east",
      displayName: "US East (Virginia)",
      region: "us-east",
      type: "hosted",
      status: "active",
      health: "active",
      latitude: 38.95,
      longitude: -77.45,
    });
    expect(body.locations[14]).toEqual(own);
    const other = await test.createTeam();
    const seenByOther = await test.call("GET", "/api/locations", undefined, other.byKey);
    expect(seenByOther.body.locations).toHaveLength(14);
  });

  it("seeding again changes nothing, and keeps what the operator set", async () => {
    const { knex } = test.services;
    const before = await knex("locations").whereNull("teamId").orderBy("key");
    await seedHostedLocations(knex);
    expect(await knex("locations").whereNull("teamId").orderBy("key")).toEqual(before);
  });

  it("deprecated and retired locations are listed on demand, with their successor", async () => {
    const { knex } = test.services;
    await knex("locations")
      .where({ id: "loc_af_south" })
      .update({ status: "deprecated", replacedBy: "loc_eu_west" });
    await knex("locations").where({ id: "loc_ap_south" }).update({ status: "retired" });
    const idsOf = async (query: string) => {
      const { body } = await test.call("GET", `/api/locations${query}`);
      return body.locations.map((location: { id: string }) => location.id);
    };
    expect(await idsOf("")).toHaveLength(12);
    expect(await idsOf("?include_deprecated=1")).toHaveLength(12);
    expect(await idsOf("?include_deprecated=true")).toHaveLength(14);
    const { body } = await test.call("GET", "/api/locations?include_deprecated=true");
    const deprecated = body.locations.find((location: { id: string }) => location.id === "loc_af_south");
    expect(deprecated).toMatchObject({ status: "deprecated", replacedBy: "loc_eu_west" });
    await knex("locations").whereNull("teamId").update({ status: "active", replacedBy: null });
  });
});

describe("private locations", () => {
  it("one is created with its team, offline until a runner connects", async () => {
    const answer = await test.call("POST", "/api/locations", {
      name: " office ",
      latitude: 52.5,
      longitude: 13.4,
    });
    expect(answer.status).toBe(201);
    expect(answer.body.location).toEqual({
      id: expect.stringMatching(/^loc_[0-9a-z]{26}$/),
      name: "office",
      displayName: "office",
      region: "private",
      type: "private",
      status: "active",
      health: "offline",
      teamId: test.team.teamId,
      lastHeartbeat: null,
      latitude: 52.5,
      longitude: 13.4,
    });
  });

  it("a name is taken once per team, also when two create at once", async () => {
    const create = () => test.call("POST", "/api/locations", { name: "twins" });
    const statuses = (await Promise.all([create(), create()])).map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, 409]);
    expect((await create()).body).toEqual({ error: 'A location named "twins" already exists' });
    await createLocation("twins", await test.createTeam());
  });

  it("an update changes what is given, and null clears a coordinate", async () => {
    const { id } = await createLocation();
    const put = (body: object) => test.call("PUT", `/api/locations/${id}`, body);
    const first = await put({ displayName: "Head office", latitude: 1, longitude: 2 });
    expect(first.body.location).toMatchObject({ name: "office", displayName: "Head office", latitude: 1 });
    const second = await put({ latitude: null, longitude: null });
    expect(second.body.location).not.toHaveProperty("latitude");
    expect(second.body.location.displayName).toBe("Head office");
  });

  it("what was read can be put back", async () => {
    const location = await createLocation();
    const answer = await test.call("PUT", `/api/locations/${location.id}`, location);
    expect(answer.status).toBe(200);
    expect(answer.body.location).toEqual(location);
  });

  it("renaming to a name in use is a conflict that changes nothing", async () => {
    await createLocation("first");
    const second = await createLocation("second");
    const answer = await test.call("PUT", `/api/locations/${second.id}`, { name: "first", displayName: "x" });
    expect(answer.status).toBe(409);
    const { body } = await test.call("GET", "/api/locations");
    expect(body.locations).toContainEqual(second);
  });

  it("deleting one hides it, takes its runner keys and frees its name; the second time it is not found", async () => {
    const { id } = await createLocation();
    await test.call("POST", `/api/locations/${id}/keys`, {});
    expect((await test.call("DELETE", `/api/locations/${id}`)).body).toEqual({ success: true });
    expect((await test.call("DELETE", `/api/locations/${id}`)).status).toBe(404);
    expect((await test.call("GET", `/api/locations/${id}/keys`)).status).toBe(404);
    const key = await keyOfLocation(test.services.knex, id);
    expect(await test.services.knex("runnerKeys").where({ locationKey: key })).toEqual([]);
    await createLocation();
  });

  it("one that a check uses can't be deleted, and the answer names the check", async () => {
    const { id } = await createLocation();
    const check = await test.call("POST", "/api/checks", aCheck({ name: "Login", locations: [id] }));
    const refused = await test.call("DELETE", `/api/locations/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toBe('Location office is used by the check "Login"');
    await test.call("DELETE", `/api/checks/${check.body.check.id}`);
    expect((await test.call("DELETE", `/api/locations/${id}`)).status).toBe(200);
  });

  it("a check created while its location is deleted never ends up in a location that is gone", async () => {
    for (let i = 0; i < 5; i++) {
      const { id } = await createLocation(`race ${i}`);
      const [created, deleted] = await Promise.all([
        test.call("POST", "/api/checks", aCheck({ locations: [id] })),
        test.call("DELETE", `/api/locations/${id}`),
      ]);
      expect([
        [201, 409],
        [400, 200],
      ]).toContainEqual([created.status, deleted.status]);
    }
  });
});

describe("what is not the team's to manage", () => {
  const requests: [string, "PUT" | "DELETE" | "POST" | "GET", string, object | undefined][] = [
    ["updating", "PUT", "", {}],
    ["deleting", "DELETE", "", undefined],
    ["creating a key of", "POST", "/keys", {}],
    ["listing the keys of", "GET", "/keys", undefined],
    ["deleting a key of", "DELETE", `/keys/${newId("runnerKey")}`, undefined],
    ["listing the runners of", "GET", "/runners", undefined],
  ];

  it.each(requests)("%s a hosted location is forbidden, in a sentence", async (_what, method, path, body) => {
    const answer = await test.call(method, `/api/locations/loc_us_east${path}`, body);
    expect(answer.status).toBe(403);
    expect(answer.body.error).toContain("loc_us_east is a hosted location");
  });

  it.each(requests)(
    "%s another team's location is not found, and changes nothing",
    async (_what, method, path, body) => {
      const location = await createLocation();
      const other = await test.createTeam();
      const answer = await test.call(method, `/api/locations/${location.id}${path}`, body, other.byKey);
      expect([answer.status, answer.body]).toEqual([404, { error: "Location not found" }]);
      const { body: seen } = await test.call("GET", "/api/locations");
      expect(seen.locations).toContainEqual(location);
    },
  );

  it.each([
    ["a check's id", newId("check")],
    ["SQL", "loc_x' OR '1'='1"],
    ["a path", "..%2f..%2fetc%2fpasswd"],
    ["a NUL character", "loc_%00"],
    ["nothing like an id", "%F0%9F%92%A9"],
  ])("%s in place of an id is not found", async (_what, id) => {
    expect((await test.call("GET", `/api/locations/${encodeURI(id)}/keys`)).status).toBe(404);
  });
});

describe("runner keys", () => {
  it("the secret is shown once and stored as its hash", async () => {
    const { id } = await createLocation();
    const created = await test.call("POST", `/api/locations/${id}/keys`, { name: "  rack 1 " });
    expect(created.status).toBe(201);
    const { secret, ...rest } = created.body.key;
    expect(secret).toMatch(/^rk_[0-9a-f]{64}$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^rkey_/),
      name: "rack 1",
      keyPrefix: secret.slice(0, 11),
      lastUsedAt: null,
      createdAt: new Date(test.clock.nowMs()).toISOString(),
    });
    const listed = await test.call("GET", `/api/locations/${id}/keys`);
    expect(listed.body).toEqual({ keys: [rest] });
    const stored = await test.services.knex("runnerKeys").where({ id: rest.id }).first();
    expect(stored.keyHash).toEqual(hashToken(secret));
  });

  it("a key without a body or name is an Untitled Key", async () => {
    const { id } = await createLocation();
    for (const body of [undefined, { name: "   " }]) {
      const { body: answer } = await test.call("POST", `/api/locations/${id}/keys`, body);
      expect(answer.key.name).toBe("Untitled Key");
    }
  });

  it("two keys may live at a time, also when three are asked for at once", async () => {
    const { id } = await createLocation();
    const create = () => test.call("POST", `/api/locations/${id}/keys`, {});
    const statuses = (await Promise.all([create(), create(), create()]))
      .map((answer) => answer.status)
      .sort();
    expect(statuses).toEqual([201, 201, 409]);
    const { body } = await test.call("GET", `/api/locations/${id}/keys`);
    await test.call("DELETE", `/api/locations/${id}/keys/${body.keys[0].id}`);
    expect((await create()).status).toBe(201);
  });

  it("a deleted key is gone, and the second time it is not found", async () => {
    const { id } = await createLocation();
    const { body } = await test.call("POST", `/api/locations/${id}/keys`, {});
    const remove = () => test.call("DELETE", `/api/locations/${id}/keys/${body.key.id}`);
    expect((await remove()).body).toEqual({ success: true });
    expect((await remove()).body).toEqual({ error: "Runner key not found" });
  });

  it("a key of another location of the same team is not found", async () => {
    const [first, second] = [await createLocation("first"), await createLocation("second")];
    const { body } = await test.call("POST", `/api/locations/${first.id}/keys`, {});
    const answer = await test.call("DELETE", `/api/locations/${second.id}/keys/${body.key.id}`);
    expect(answer.status).toBe(404);
  });
});

describe("runners and health", () => {
  async function connectRunner(locationId: string, lastHeartbeatMs: number, overrides: object = {}) {
    const { knex } = test.services;
    const locationKey = await keyOfLocation(knex, locationId);
    await knex("runners").insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      locationKey,
      runnerKeyId: newId("runnerKey"),
      locationKeys: [locationKey],
      hostname: "rack-1",
      version: "0.1.0",
      capabilities: ["http"],
      capacityPerSecond: 10,
      replicaId: "a",
      connectedAt: new Date(lastHeartbeatMs),
      lastHeartbeatAt: new Date(lastHeartbeatMs),
      leaseUntil: new Date(Date.now() + 60_000),
      stats: { assignedChecks: 7, activeRuns: 2, backlog: 1, latenessP99Ms: 3 },
      ...overrides,
    });
  }

  async function healthOf(locationId: string) {
    const { body } = await test.call("GET", "/api/locations");
    return body.locations.find((location: { id: string }) => location.id === locationId);
  }

  it("a runner is listed with the figures of its last heartbeat and the state of its lease", async () => {
    const { id } = await createLocation();
    await connectRunner(id, test.clock.nowMs());
    await connectRunner(id, test.clock.nowMs() - 1000, { draining: true, hostname: "rack-2" });
    await connectRunner(id, test.clock.nowMs() - 2000, { leaseUntil: new Date(0), hostname: "rack-3" });
    const { body } = await test.call("GET", `/api/locations/${id}/runners`);
    expect(body.runners[0]).toEqual({
      id: expect.stringMatching(/^rnr_/),
      hostname: "rack-1",
      version: "0.1.0",
      capabilities: ["http"],
      status: "online",
      lastHeartbeat: new Date(test.clock.nowMs()).toISOString(),
      assignedChecks: 7,
      activeRuns: 2,
      backlog: 1,
      droppedResults: 0,
      latenessP99Ms: 3,
      loopBusyBasisPoints: 0,
      accepting: true,
    });
    expect(body.runners.map((runner: { status: string }) => runner.status)).toEqual([
      "online",
      "draining",
      "offline",
    ]);
  });

  it("health follows the newest heartbeat", async () => {
    const { id } = await createLocation();
    await connectRunner(id, test.clock.nowMs() - 200_000);
    expect(await healthOf(id)).toMatchObject({ health: "offline" });
    await connectRunner(id, test.clock.nowMs() - 100_000);
    expect(await healthOf(id)).toMatchObject({ health: "degraded" });
    await connectRunner(id, test.clock.nowMs() - 1_000);
    expect(await healthOf(id)).toMatchObject({
      health: "active",
      lastHeartbeat: new Date(test.clock.nowMs() - 1_000).toISOString(),
    });
  });

  it("a slot that was due a moment ago and missed makes the location degraded, an old one does not", async () => {
    const { knex } = test.services;
    const { id } = await createLocation();
    await connectRunner(id, test.clock.nowMs());
    // Second of two locations: its slots are due half a period later.
    const body = aCheck({ locations: ["loc_us_east", id], frequencySeconds: 3600 });
    const check = await test.call("POST", "/api/checks", body);
    const [checkKey, locationKey] = [
      await keyOfCheck(knex, check.body.check.id),
      await keyOfLocation(knex, id),
    ];
    const miss = (dueMs: number) =>
      knex("missedSlots").insert({
        checkKey,
        locationKey,
        slotMs: dueMs - 1_800_000,
        reason: "runner_crash",
      });
    await miss(test.clock.nowMs() - 181_000);
    expect(await healthOf(id)).toMatchObject({ health: "active" });
    await miss(test.clock.nowMs() - 100_000);
    expect(await healthOf(id)).toMatchObject({ health: "degraded" });
  });

  it("a check that none of the runners can run makes the location degraded", async () => {
    const { id } = await createLocation();
    await connectRunner(id, test.clock.nowMs());
    const mcpConfig = { endpoint: "http://127.0.0.1:9/" };
    const body = { name: "tools", type: "mcp", locations: [id], mcpConfig };
    const { body: created } = await test.call("POST", "/api/checks", body);
    expect(await healthOf(id)).toMatchObject({ health: "degraded" });
    await test.call("PUT", `/api/checks/${created.check.id}`, { enabled: false });
    expect(await healthOf(id)).toMatchObject({ health: "active" });
  });
});
