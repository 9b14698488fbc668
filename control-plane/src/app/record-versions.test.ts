import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, createTestClock, type TestApp } from "../../test-support/app.ts";
import { aCheck } from "../../test-support/builders.ts";
import { registerAlertRoutes } from "../alerting/routes.ts";
import { registerSloRoutes } from "../alerting/slos/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { registerResultRoutes } from "../results/routes.ts";

let test: TestApp;
const clock = createTestClock(Date.parse("2026-03-01T12:00:00Z"));
beforeAll(async () => {
  test = await createTestApp({
    clock,
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerResultRoutes(app, services);
      registerChannelRoutes(app, services);
      registerAlertRoutes(app, services);
      registerSloRoutes(app, services);
      registerMaintenanceRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
beforeEach(async () => {
  test.team = await test.createTeam();
});
afterAll(() => test.close());

const ok = async (method: "GET" | "POST" | "PUT", path: string, body?: object) => {
  const answer = await test.call(method, path, body as never);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  clock.advance(1);
  return answer;
};
const ifMatch = (etag: string) => ({ ...test.team.byKey, "if-match": etag });
const etagOf = async (path: string) => String((await ok("GET", path)).headers.etag);

/** Makes a record of each kind that can be changed; returns its path. */
const KINDS: Record<string, () => Promise<string>> = {
  check: async () => `/api/checks/${await newCheck()}`,
  "alert rule": async () => {
    const rule = {
      name: "Fails",
      conditions: [{ type: "consecutive_failures", count: 2 }],
      channelIds: [await newChannel()],
    };
    const { body } = await ok("POST", `/api/checks/${await newCheck()}/alerts`, rule);
    return `/api/alerts/${body.id}`;
  },
  SLO: async () => {
    const slo = { name: "Works", checkId: await newCheck(), targetBasisPoints: 9_900, windowDays: 7 };
    return `/api/slos/${(await ok("POST", "/api/slos", slo)).body.slo.id}`;
  },
  channel: async () => `/api/notification-channels/${await newChannel()}`,
  "maintenance window": async () => {
    const window = {
      name: "Night",
      checkIds: "all",
      mode: "pause",
      startsAt: "2026-03-02T00:00:00Z",
      endsAt: "2026-03-02T01:00:00Z",
    };
    const { body } = await ok("POST", "/api/maintenance-windows", window);
    return `/api/maintenance-windows/${body.maintenanceWindow.id}`;
  },
};
const newChannel = async () => {
  const channel = { name: "Hook", channel: { type: "webhook", url: "https://example.com/hook" } };
  return (await ok("POST", "/api/notification-channels", channel)).body.channel.id as string;
};
const newCheck = async () => (await ok("POST", "/api/checks", aCheck())).body.check.id as string;

describe.each(Object.entries(KINDS))("a version of a record: %s", (_kind, make) => {
  it("is named by a read, and is another one after a change", async () => {
    const path = await make();
    const first = await etagOf(path);
    expect(first).toMatch(/^"[0-9a-z]+"$/);
    expect(await etagOf(path)).toBe(first);
    await ok("PUT", path, { name: "Renamed" });
    expect(await etagOf(path)).not.toBe(first);
  });

  it("keeps a change from replacing one that its author has not seen", async () => {
    const path = await make();
    const old = await etagOf(path);
    await ok("PUT", path, { name: "Theirs" });
    const before = JSON.stringify((await ok("GET", path)).body);
    for (const method of ["PUT", "DELETE"] as const) {
      const body = method === "PUT" ? { name: "Mine" } : undefined;
      const answer = await test.call(method, path, body, ifMatch(old));
      expect([answer.status, answer.body.error]).toEqual([412, expect.stringMatching(/changed since/)]);
    }
    expect(JSON.stringify((await ok("GET", path)).body)).toBe(before);

    const now = await etagOf(path);
    expect((await test.call("PUT", path, { name: "Mine" }, ifMatch(`"other", ${now}`))).status).toBe(200);
    clock.advance(1);
    expect((await test.call("PUT", path, { name: "Any" }, ifMatch("*"))).status).toBe(200);
    clock.advance(1);
    expect((await test.call("DELETE", path, undefined, ifMatch(await etagOf(path)))).status).toBe(200);
  });

  it("is taken by one of two changes at once", async () => {
    const path = await make();
    const etag = await etagOf(path);
    const answers = await Promise.all(
      ["One", "Two"].map((name) => test.call("PUT", path, { name }, ifMatch(etag))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

it("an unreadable If-Match is no version of anything", async () => {
  const path = `/api/checks/${await newCheck()}`;
  for (const etag of ["", "nonsense", 'W/"x"', "\u00e9"])
    expect([etag, (await test.call("PUT", path, { name: "Mine" }, ifMatch(etag))).status]).toEqual([
      etag,
      412,
    ]);
  expect((await test.call("PUT", path, { name: "Mine" }, ifMatch("x".repeat(2_000)))).status).toBe(400);
});
