import { newId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aCheck, keyOfLocation } from "../../../test-support/builders.ts";
import { createLocation, useChecksApp } from "../../../test-support/checks-app.ts";
import { seedHostedLocations } from "./seed.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

describe("listing", () => {
  it("a team sees the 14 hosted locations and its own private ones", async () => {
    const own = await createLocation(test);
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
      channelIds: [],
      isGuarded: true,
      latitude: 52.5,
      longitude: 13.4,
    });
  });

  it("a name is taken once per team, also when two create at once", async () => {
    const create = () => test.call("POST", "/api/locations", { name: "twins" });
    const statuses = (await Promise.all([create(), create()])).map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, 409]);
    expect((await create()).body).toEqual({ error: 'A location named "twins" already exists' });
    await createLocation(test, "twins", await test.createTeam());
  });

  it("an update changes what is given, and null clears a coordinate", async () => {
    const { id } = await createLocation(test);
    const put = (body: object) => test.call("PUT", `/api/locations/${id}`, body);
    const first = await put({ displayName: "Head office", latitude: 1, longitude: 2 });
    expect(first.body.location).toMatchObject({ name: "office", displayName: "Head office", latitude: 1 });
    const second = await put({ latitude: null, longitude: null });
    expect(second.body.location).not.toHaveProperty("latitude");
    expect(second.body.location.displayName).toBe("Head office");
  });

  it("what was read can be put back", async () => {
    const location = await createLocation(test);
    const answer = await test.call("PUT", `/api/locations/${location.id}`, location);
    expect(answer.status).toBe(200);
    expect(answer.body.location).toEqual(location);
  });

  it("renaming to a name in use is a conflict that changes nothing", async () => {
    await createLocation(test, "first");
    const second = await createLocation(test, "second");
    const answer = await test.call("PUT", `/api/locations/${second.id}`, { name: "first", displayName: "x" });
    expect(answer.status).toBe(409);
    const { body } = await test.call("GET", "/api/locations");
    expect(body.locations).toContainEqual(second);
  });

  it("deleting one hides it, takes its runner keys and frees its name; the second time it is not found", async () => {
    const { id } = await createLocation(test);
    await test.call("POST", `/api/locations/${id}/keys`, {});
    expect((await test.call("DELETE", `/api/locations/${id}`)).body).toEqual({ success: true });
    expect((await test.call("DELETE", `/api/locations/${id}`)).status).toBe(404);
    expect((await test.call("GET", `/api/locations/${id}/keys`)).status).toBe(404);
    const key = await keyOfLocation(test.services.knex, id);
    expect(await test.services.knex("runnerKeys").where({ locationKey: key })).toEqual([]);
    await createLocation(test);
  });

  it("one that a check uses can't be deleted, and the answer names the check", async () => {
    const { id } = await createLocation(test);
    const check = await test.call("POST", "/api/checks", aCheck({ name: "Login", locations: [id] }));
    const refused = await test.call("DELETE", `/api/locations/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toBe('Location office is used by the check "Login"');
    await test.call("DELETE", `/api/checks/${check.body.check.id}`);
    expect((await test.call("DELETE", `/api/locations/${id}`)).status).toBe(200);
  });

  it("a check created while its location is deleted never ends up in a location that is gone", async () => {
    for (let i = 0; i < 5; i++) {
      const { id } = await createLocation(test, `race ${i}`);
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
      const location = await createLocation(test);
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

describe("a hosted location that is not in service", () => {
  const setStatus = (status: string, replacedBy: string | null = null) =>
    test.services
      .knex("locations")
      .where({ id: "loc_af_south" })
      .update({
        status,
        replacedBy,
        statusChangedAt: new Date(test.clock.nowMs()),
      });

  it.each(["deprecated", "retired"])(
    "%s: is refused to new checks, which are sent to its successor",
    async (status) => {
      await setStatus(status, "loc_eu_west");
      const made = await test.call("POST", "/api/checks", aCheck({ locations: ["loc_af_south"] }));
      expect([made.status, made.body.details.fieldErrors]).toEqual([
        400,
        { locations: [`locations[0]: "loc_af_south" is ${status}; use "loc_eu_west"`] },
      ]);
      await setStatus("active");
    },
  );

  it("stays with the checks that have it, whose reads say where to go", async () => {
    const locations = ["loc_us_east", "loc_af_south"];
    const { body } = await test.call("POST", "/api/checks", aCheck({ locations }));
    const { id } = body.check;
    expect(body.check).not.toHaveProperty("locationNotices");
    await setStatus("retired", "loc_eu_west");
    const notices = [
      {
        locationId: "loc_af_south",
        status: "retired",
        replacedBy: "loc_eu_west",
        message: "loc_af_south is retired: the check is not run there any more. Use loc_eu_west instead",
      },
    ];
    const read = (await test.call("GET", `/api/checks/${id}`)).body.check;
    expect(read.locationNotices).toEqual(notices);
    for (const view of ["full", "summary"]) {
      const [listed] = (await test.call("GET", `/api/checks?view=${view}`)).body.checks;
      expect(listed.locationNotices).toEqual(notices);
    }
    const put = await test.call("PUT", `/api/checks/${id}`, { name: "renamed", locations });
    expect(put.status).toBe(200);
    expect((await test.call("PUT", `/api/checks/${id}`, { locations: ["loc_us_east"] })).status).toBe(200);
    expect((await test.call("PUT", `/api/checks/${id}`, { locations })).status).toBe(400);
    await setStatus("active");
  });

  it("retired: slots that are due from then on are missing because of that", async () => {
    const check = aCheck({ locations: ["loc_af_south"], frequencySeconds: 60 });
    const { id } = (await test.call("POST", "/api/checks", check)).body.check;
    test.clock.advance(600_000);
    await setStatus("retired");
    test.clock.advance(600_000);
    const { body } = await test.call("GET", `/api/checks/${id}/coverage?range=1h`);
    const reasons = body.locations[0].missing.map(({ reason }: { reason: string }) => reason);
    expect(new Set(reasons)).toEqual(new Set(["location_retired", "no_runner"]));
    expect(reasons[0]).toBe("location_retired");
    await setStatus("active");
  });
});
