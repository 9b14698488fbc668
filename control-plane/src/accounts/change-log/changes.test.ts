import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { alertingDependents } from "../../alerting/check-dependents.ts";
import { registerLabelRoutes } from "../../checks/labels/routes.ts";
import { registerLocationRoutes } from "../../checks/locations/routes.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { registerApiKeyRoutes } from "../api-keys/routes.ts";
import { registerChangeRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerChannelRoutes(app, services);
      registerApiKeyRoutes(app, services);
      registerLabelRoutes(app, services, []);
      registerLocationRoutes(app, services, assertChannelsExist);
      registerMaintenanceRoutes(app, services);
      registerChangeRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const changes = async (query = "") => (await test.call("GET", `/api/changes${query}`)).body.changes;
const inBrief = async (query = "") =>
  (await changes(query)).map(
    (one: { action: string; type: string; name: string }) => `${one.action} ${one.type} ${one.name}`,
  );

async function createCheck(overrides: Parameters<typeof aCheck>[0] = {}) {
  return (await test.call("POST", "/api/checks", aCheck(overrides))).body.check;
}

it("what happens to each kind of resource is there, newest first", async () => {
  const check = await createCheck();
  await test.call("PUT", `/api/checks/${check.id}`, { name: "Renamed" });
  await test.call("PUT", `/api/checks/${check.id}/labels`, { labels: ["team:web"] });
  await test.call("DELETE", `/api/checks/${check.id}`);
  const { location } = (await test.call("POST", "/api/locations", { name: "office" })).body;
  await test.call("PUT", `/api/locations/${location.id}`, { displayName: "The office" });
  const { key } = (await test.call("POST", `/api/locations/${location.id}/keys`, { name: "k" })).body;
  await test.call("DELETE", `/api/locations/${location.id}/keys/${key.id}`);
  await test.call("DELETE", `/api/locations/${location.id}`);
  const channel = { type: "chat", webhookUrl: "https://hooks.example.org/secret" };
  const { id } = (await test.call("POST", "/api/notification-channels", { name: "chat", channel })).body
    .channel;
  await test.call("PUT", `/api/notification-channels/${id}`, { name: "chat 2" });
  await test.call("DELETE", `/api/notification-channels/${id}`);
  const times = { startsAt: "2026-07-01T00:00:00Z", endsAt: "2026-07-01T01:00:00Z" };
  const window = (
    await test.call("POST", "/api/maintenance-windows", { name: "mw", checkIds: "all", ...times })
  ).body;
  const path = `/api/maintenance-windows/${window.maintenanceWindow.id}`;
  await test.call("PUT", path, { mode: "continue" });
  await test.call("DELETE", path);
  const apiKey = (await test.call("POST", "/api/api-keys", { name: "ci" }, test.team.bySession)).body.key;
  await test.call("DELETE", `/api/api-keys/${apiKey.id}`, undefined, test.team.bySession);
  expect((await inBrief()).reverse()).toEqual([
    "created check Home page",
    "updated check Renamed",
    "updated check Renamed",
    "deleted check Renamed",
    "created location office",
    "updated location office",
    "created runner_key k",
    "deleted runner_key k",
    "deleted location office",
    "created channel chat",
    "updated channel chat 2",
    "deleted channel chat 2",
    "created maintenance_window mw",
    "updated maintenance_window mw",
    "deleted maintenance_window mw",
    "created api_key ci",
    "deleted api_key ci",
  ]);
});

it("who did it, and by what way, is recorded", async () => {
  await createCheck({ name: "by key" });
  const deploy = { ...test.team.byKey, "x-svc-source": "yaml" };
  await test.call("POST", "/api/checks", aCheck({ name: "by deploy" }), deploy);
  await test.call("POST", "/api/checks", aCheck({ name: "by hand" }), {
    ...test.team.bySession,
    "x-svc-source": "yaml",
  });
  const recorded = (await changes()).map((one: { name: string; source: string; actor: string }) => [
    one.name,
    one.source,
    one.actor,
  ]);
  expect(recorded).toEqual([
    ["by hand", "ui", test.team.userId],
    ["by deploy", "yaml", test.team.apiKeyId],
    ["by key", "api", test.team.apiKeyId],
  ]);
});

it("what was refused, and what changed nothing, leaves no entry", async () => {
  const check = await createCheck();
  await test.call("PUT", `/api/checks/${check.id}`, { frequencySeconds: 5 });
  await test.call("PUT", `/api/checks/${check.id}`, { name: "Home page" });
  await test.call("POST", "/api/checks", aCheck({ locations: ["loc_nowhere"] }));
  await test.call("PUT", `/api/checks/${check.id}/labels`, { labels: [] });
  expect(await inBrief()).toEqual(["created check Home page"]);
});

describe("secrets", () => {
  it("of a check: credentials, bodies and scripts are only recorded as changed", async () => {
    const check = await createCheck({
      httpConfig: {
        url: "https://ada:hunter2@e.org/?token=hunter3",
        auth: { type: "bearer", token: "hunter4" },
        headers: { "X-Token": "hunter5", Accept: "text/html" },
        body: "hunter6",
      },
    });
    const configJson = {
      url: "https://ada:hunter7@e.org/other?token=hunter8",
      auth: { type: "bearer", token: "hunter9" },
      headers: { "X-Token": "hunter10", Accept: "*/*" },
      body: "hunter11",
    };
    await test.call("PUT", `/api/checks/${check.id}`, { configJson });
    const [{ changedFields }] = await changes();
    expect(JSON.stringify(changedFields)).not.toContain("hunter");
    expect(
      changedFields.map((one: { field: string; redacted?: true }) => [one.field, one.redacted ?? false]),
    ).toEqual(
      expect.arrayContaining([
        ["configJson.url", false],
        ["configJson.auth.token", true],
        ["configJson.headers.X-Token", true],
        ["configJson.headers.Accept", false],
        ["configJson.body", true],
      ]),
    );
  });

  it("of a channel: what its type marks", async () => {
    const path = "/api/notification-channels";
    const channel = { type: "webhook", url: "https://e.org/secret-a", headers: { A: "secret-b" } };
    const { id } = (await test.call("POST", path, { name: "hook", channel })).body.channel;
    const changed = { type: "webhook", url: "https://f.org/secret-c", headers: { A: "secret-d" } };
    await test.call("PUT", `${path}/${id}`, { channel: changed });
    const [{ changedFields }] = await changes();
    expect(JSON.stringify(changedFields)).not.toContain("secret");
    expect(changedFields).toEqual([
      { field: "channel.url", oldValue: "https://e.org", newValue: "https://f.org" },
      { field: "channel.headers.A", oldValue: "***REDACTED***", newValue: "***REDACTED***", redacted: true },
    ]);
  });
});

describe("asking", () => {
  it("by type, by a part of the name in any case, by source, by page", async () => {
    for (const name of ["Shop", "shop cart", "100% off", "Blog"]) await createCheck({ name });
    await test.call("POST", "/api/locations", { name: "Shop floor" });
    expect(await inBrief("?type=check&name=SHOP")).toEqual(["created check shop cart", "created check Shop"]);
    expect(await inBrief("?name=%25")).toEqual(["created check 100% off"]);
    expect(await inBrief("?source=yaml")).toEqual([]);
    const page = await test.call("GET", "/api/changes?limit=2&offset=1");
    expect(page.body).toMatchObject({
      limit: 2,
      offset: 1,
      changes: [{ name: "Blog" }, { name: "100% off" }],
    });
    expect((await test.call("GET", "/api/changes?type=pigeon")).status).toBe(400);
    expect((await test.call("GET", "/api/changes?limit=201")).status).toBe(400);
  });

  it("a team sees its own changes", async () => {
    await createCheck();
    test.team = await test.createTeam();
    expect(await changes()).toEqual([]);
  });
});

it("an actor is named beside its id, also once the key is gone; entries are found by record and time", async () => {
  const check = await createCheck();
  await createCheck();
  await test.services.knex("apiKeys").where({ id: test.team.apiKeyId }).delete();
  const bySession = async (query: string) =>
    (await test.call("GET", `/api/changes${query}`, undefined, test.team.bySession)).body.changes;
  const [entry, ...others] = await bySession(`?resourceId=${check.id}`);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ resourceId: check.id, actor: test.team.apiKeyId, actorName: "Test key" });
  expect(await bySession(`?from=${entry.createdAt}`)).toHaveLength(2);
  expect(await bySession(`?to=${entry.createdAt}`)).toEqual([]);
});
