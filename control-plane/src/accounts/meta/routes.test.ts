import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerMetaRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    settings: { SVC_CAP_CHECKS: "7", SVC_RETENTION_DAYS: "12" },
    register: async (app, services) => {
      registerMetaRoutes(app, services);
      registerCheckRoutes(app, services, []);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

it("tells version, limits with their use, retention and what is set up", async () => {
  await test.call("POST", "/api/checks", aCheck({ name: "one" }));
  const { status, body } = await test.call("GET", "/api/meta");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    plan: { name: "self_hosted", maxChecks: null, maxLocationsPerCheck: null },
    retention: { resultsDays: 12 },
    configured: { mail: false, generation: false, billing: false },
  });
  expect(body.caps).toContainEqual({ name: "checks", unit: "records", max: 7, used: 1 });
  expect(body.caps).toContainEqual(expect.objectContaining({ name: "alertRulesPerCheck", used: null }));
  expect(body.caps).toContainEqual(expect.objectContaining({ name: "checkBytes", unit: "bytes" }));
});

it("counts only what the asking team has", async () => {
  const other = await test.createTeam();
  const { body } = await test.call("GET", "/api/meta", undefined, other.byKey);
  expect(body.caps).toContainEqual({ name: "checks", unit: "records", max: 7, used: 0 });
});
