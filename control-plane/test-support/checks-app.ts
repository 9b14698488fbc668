/** The REST server with the routes of checks, locations, results and coverage, and the hosted locations. */
import type { Check } from "@svc/contract";
import { alertingDependents } from "../src/alerting/check-dependents.ts";
import { registerLocationRoutes } from "../src/checks/locations/routes.ts";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import { registerCoverageRoutes } from "../src/results/coverage/routes.ts";
import { registerResultRoutes } from "../src/results/routes.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { aCheck, keyOfCheck } from "./builders.ts";

export async function createChecksApp(): Promise<TestApp> {
  const test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerLocationRoutes(app, services);
      registerResultRoutes(app, services);
      registerCoverageRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  return test;
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

/** Orders to run the check, in the order of their slots. */
export async function manualRunsOf(
  { services: { knex } }: TestApp,
  id: string,
): Promise<{ slotMs: number; locationKeys: number[]; reason: string }[]> {
  return knex("manualRuns")
    .where({ checkKey: await keyOfCheck(knex, id) })
    .orderBy("slotMs");
}
