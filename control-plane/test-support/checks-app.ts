/** The REST server with the routes of checks, locations, results and coverage, and the hosted locations. */
import type { Check, Location } from "@svc/contract";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { alertingDependents } from "../src/alerting/check-dependents.ts";
import { registerLocationRoutes } from "../src/checks/locations/routes.ts";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import { assertChannelsExist } from "../src/outbox/channels/assert-channels-exist.ts";
import { registerCoverageRoutes } from "../src/results/coverage/routes.ts";
import { registerResultRoutes } from "../src/results/routes.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { aCheck, keyOfCheck } from "./builders.ts";

export async function createChecksApp(): Promise<TestApp> {
  const test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerLocationRoutes(app, services, assertChannelsExist);
      registerResultRoutes(app, services);
      registerCoverageRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  return test;
}

/**
 * Gives a file's tests one app, closed after the last of them, and each test a team of its own. Call it at the file's
 * top level.
 * @param accept called with the app before the first test
 */
export function useChecksApp(accept: (app: TestApp) => void): void {
  let app: TestApp | undefined;
  beforeAll(async () => {
    app = await createChecksApp();
    accept(app);
  });
  beforeEach(async () => {
    if (app) app.team = await app.createTeam();
  });
  afterAll(() => app?.close());
}

/** Creates a private location of a team, by default the app's, or fails with what the service answered. */
export async function createLocation(test: TestApp, name = "office", team = test.team): Promise<Location> {
  const { status, body } = await test.call("POST", "/api/locations", { name }, team.byKey);
  if (status !== 201) throw new Error(`creating a location: ${status} ${JSON.stringify(body)}`);
  return body.location;
}

/** Creates a check for the app's team, or fails with what the service answered. */
export async function createCheck(
  test: TestApp,
  overrides: Parameters<typeof aCheck>[0] = {},
): Promise<Check> {
  const { status, body } = await test.call("POST", "/api/checks", aCheck(overrides));
  if (status !== 201) throw new Error(`creating a check: ${status} ${JSON.stringify(body)}`);
  return body.check;
}

/** A schedule that a check has or had, as it is stored. */
export interface StoredRevision {
  revision: number;
  frequencySeconds: number;
  locationKeys: number[];
  enabled: boolean;
  effectiveFromMs: number;
  effectiveUntilMs: number | null;
}

/** Oldest first. */
export async function revisionsOf({ services: { knex } }: TestApp, id: string): Promise<StoredRevision[]> {
  return knex("checkRevisions")
    .where({ checkKey: await keyOfCheck(knex, id) })
    .orderBy("revision");
}

/** Dispatches of the check, in the order of their slots. */
export async function manualRunsOf(
  { services: { knex } }: TestApp,
  id: string,
): Promise<{ slotMs: number; locationKeys: number[]; reason: string }[]> {
  return knex("manualRuns")
    .where({ checkKey: await keyOfCheck(knex, id) })
    .orderBy("slotMs");
}
