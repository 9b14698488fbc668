import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { findPlanted } from "../../test-support/dump.ts";
import { addPerson } from "../../test-support/people.ts";
import { registerTeamRoutes } from "../accounts/teams/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerSecretRoutes } from "../checks/team-secrets/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { registerTelemetryRoutes } from "../telemetry/routes.ts";
import { telemetryEgress } from "../telemetry/start-telemetry.ts";
import { teamExportSections } from "./team-export.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerTeamRoutes(app, services, { dependents: [], exportSections: teamExportSections });
      registerCheckRoutes(app, services, []);
      registerSecretRoutes(app, services);
      registerChannelRoutes(app, services);
      registerTelemetryRoutes(app, services, telemetryEgress(services));
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

const readExport = (headers = test.team.bySession) =>
  test.call("GET", "/api/team/export", undefined, headers);

it("holds the team's people and configuration, without a secret", async () => {
  test.team = await test.createTeam();
  const planted = [1, 2, 3, 4, 5, 6, 7].map((number) => `planted-secret-${number}`);
  const [header, url, body, value, hook, endpoint, telemetryHeader] = planted;
  const httpConfig = {
    url: `https://user:${url}@shop.example.com/`,
    method: "POST",
    headers: { "X-Own": header },
    body,
  };
  const answers = [
    await test.call("POST", "/api/checks", {
      name: "shop",
      type: "http",
      frequencySeconds: 60,
      locations: ["loc_us_east"],
      httpConfig,
    }),
    await test.call("POST", "/api/secrets", { name: "TOKEN", value }),
    await test.call("POST", "/api/notification-channels", {
      name: "hook",
      channel: { type: "webhook", url: `https://hooks.example.com/?token=${hook}` },
    }),
    await test.call("PUT", "/api/telemetry", {
      endpoint: `https://otel.example.com/?api_key=${endpoint}`,
      headers: { "x-key": telemetryHeader },
    }),
  ];
  expect(answers.map(({ status, body }) => body.error ?? status)).toEqual([201, 201, 201, 200]);
  const person = await addPerson(test, { teamId: test.team.teamId, role: "viewer" });

  const { status, body: document } = await readExport();
  expect([status, document.error]).toEqual([200, undefined]);
  expect(document).toMatchObject({
    format: "svc.team.v1",
    teamId: test.team.teamId,
    members: [{ role: "owner" }, { role: "viewer", email: person.email }],
    secrets: [{ name: "TOKEN" }],
    checks: [{ name: "shop", configJson: { method: "POST" } }],
    channels: [{ name: "hook", type: "webhook" }],
    apiKeys: [{ name: "Test key" }],
  });
  const actions = document.auditEntries.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(expect.arrayContaining(["team.exported", "telemetry.changed", "secret.created"]));
  expect(findPlanted(JSON.stringify(document), planted)).toEqual([]);
});

it("holds nothing of another team", async () => {
  const other = test.team;
  test.team = await test.createTeam();
  const { body } = await readExport();
  expect(JSON.stringify(body)).not.toContain(other.teamId);
  expect([body.checks, body.channels, body.secrets]).toEqual([[], [], []]);
});

it("goes on beyond what is read at once", async () => {
  test.team = await test.createTeam();
  const { teamId } = test.team;
  const rows = Array.from({ length: 450 }, (_, number) => ({
    id: `dep_${teamId}_${number}`,
    teamId,
    service: "shop",
    version: String(number),
    createdAt: new Date(test.clock.nowMs() + number),
  }));
  await test.services.knex("deployments").insert(rows);
  const { body } = await readExport();
  const versions = body.deployments.map(({ version }: { version: string }) => Number(version));
  expect(versions).toEqual(rows.map((_, number) => 449 - number));
});

it("is for owners' sessions", async () => {
  const person = await addPerson(test, { teamId: test.team.teamId, role: "member" });
  expect((await readExport(person.bySession)).body.code).toBe("role_required");
  expect((await test.call("GET", "/api/team/export")).body.code).toBe("session_required");
});
