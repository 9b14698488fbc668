import { HOSTED_LOCATIONS, PUSH_LOCATION_ID } from "@svc/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test-support/database.ts";
import { testServices } from "../../test-support/fleet.ts";
import { hashToken } from "../accounts/identity/tokens.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { bootFirst } from "./first-boot.ts";

const HEALTH_URL = "http://127.0.0.1:8080/healthz";
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await seedHostedLocations(database.knex);
});
afterEach(() => database.drop());

describe("bootFirst", () => {
  it("two replicas that boot an empty database at once make one team with one example check", async () => {
    const services = testServices(database.knex);
    const boots = await Promise.all([bootFirst(services, HEALTH_URL), bootFirst(services, HEALTH_URL)]);
    expect(boots.filter(Boolean)).toHaveLength(1);
    const { knex } = services;
    expect(await knex("teams")).toHaveLength(1);
    expect(await knex("memberships").select("role")).toEqual([{ role: "owner" }]);
    const [check, ...more] = await knex("checks");
    expect(more).toEqual([]);
    expect(check).toMatchObject({ frequencySeconds: 60, locationIds: ["loc_us_east"], type: "http" });
    expect(check.config).toMatchObject({
      url: HEALTH_URL,
      assertions: [{ type: "status_code", operator: "equals", value: 200 }],
    });
    expect(await bootFirst(services, HEALTH_URL)).toBeUndefined();
  });

  it("gives the owner a one-time sign-in link and no password", async () => {
    const services = testServices(database.knex);
    const boot = await bootFirst(services, HEALTH_URL);
    const user = await services.knex("users").first();
    expect(user.email).toBe(boot?.email);
    expect(user.passwordHash).toBeNull();
    expect(boot?.signInLink).toMatch(/^http:\/\/127\.0\.0\.1:8080\/auth\/link\?token=.{43}$/);
    expect(await services.knex("api_keys")).toEqual([]);
  });

  it("SVC_BOOTSTRAP_RUNNER_KEY makes a key of the hosted locations, at the first boot alone", async () => {
    const key = `rk_${"0123456789abcdef".repeat(4)}`;
    const services = testServices(database.knex, { SVC_BOOTSTRAP_RUNNER_KEY: key });
    expect(await bootFirst(services)).toMatchObject({ hasExampleCheck: false });
    const { knex } = services;
    expect(await knex("checks")).toEqual([]);
    expect(await knex("runnerKeys").select("locationKey", "keyHash", "keyPrefix")).toEqual([
      { locationKey: null, keyHash: hashToken(key), keyPrefix: key.slice(0, 11) },
    ]);
    await knex("runnerKeys").delete();
    expect(await bootFirst(services)).toBeUndefined();
    expect(await knex("runnerKeys")).toEqual([]);
  });

  it("SVC_BOOTSTRAP_API_KEY provisions: that key, no link, no example check", async () => {
    const key = `sk_${"0123456789abcdef".repeat(4)}`;
    const services = testServices(database.knex, {
      SVC_BOOTSTRAP_API_KEY: key,
      SVC_BOOTSTRAP_EMAIL: "olive@example.com",
      SVC_BOOTSTRAP_PASSWORD: "correct horse",
    });
    const boot = await bootFirst(services, HEALTH_URL);
    expect(boot).toMatchObject({
      email: "olive@example.com",
      signInLink: undefined,
      hasExampleCheck: false,
    });
    const { knex } = services;
    expect(await knex("api_keys").select("teamId", "keyHash")).toEqual([
      { teamId: boot?.teamId, keyHash: hashToken(key) },
    ]);
    expect(await knex("checks")).toEqual([]);
  });
});

describe("seedHostedLocations", () => {
  it("repeated and at once leaves each location there once", async () => {
    const { knex } = database;
    await Promise.all([seedHostedLocations(knex), seedHostedLocations(knex)]);
    const ids = (await knex("locations").select("id")).map(({ id }) => id);
    expect(ids.sort()).toEqual([...HOSTED_LOCATIONS.map(({ id }) => id), PUSH_LOCATION_ID].sort());
  });
});
