/** A REST app with checks, coverage and maintenance windows, and the steps that tests of windows are written in. */
import { type Check, HOUR_MS, type MaintenanceWindow } from "@svc/contract";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import type { MaintenanceEvent } from "../src/checks/maintenance/event-store.ts";
import { expandWindows } from "../src/checks/maintenance/jobs.ts";
import { registerMaintenanceRoutes } from "../src/checks/maintenance/routes.ts";
import { postgresWindowSwitchStore } from "../src/checks/maintenance/switch-store.ts";
import { switchWindows } from "../src/checks/maintenance/switch-windows.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import type { Services } from "../src/platform/services.ts";
import { registerCoverageRoutes } from "../src/results/coverage/routes.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { type aCheck, keyOfCheck } from "./builders.ts";
import { createCheck } from "./checks-app.ts";

export const WINDOWS_PATH = "/api/maintenance-windows";

type WindowServices = Pick<Services, "knex" | "log" | "clock">;

export interface MaintenanceTest extends TestApp {
  /** Deletes all windows and makes a new team the current one. */
  beginAnew(): Promise<void>;
  createCheck(overrides?: Parameters<typeof aCheck>[0]): Promise<Check>;
  /** Returns an instant so many ms from now. */
  inMs(ms: number): string;
  /** Returns the body of an hour's window from an hour from now, in pause mode. */
  aWindow(overrides?: object): Record<string, unknown>;
  /** Creates a window over REST. */
  create(overrides?: object): Promise<MaintenanceWindow>;
  get(id: string): Promise<MaintenanceWindow>;
  /** Runs the job once. Returns the events that it recorded. */
  look(): Promise<string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
  rowOf(check: { id: string }): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the rows hold
  schedulesOf(check: { id: string }): Promise<any[]>;
}

/** Creates the test. Call `beginAnew` before each test of the file. */
export async function createMaintenanceTest(): Promise<MaintenanceTest> {
  const test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCoverageRoutes(app, services);
      registerMaintenanceRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  const inMs = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
  const aWindow = (overrides: object = {}) => ({
    name: "Upgrade",
    checkIds: "all",
    startsAt: inMs(HOUR_MS),
    endsAt: inMs(2 * HOUR_MS),
    ...overrides,
  });
  return Object.assign(test, {
    inMs,
    aWindow,
    beginAnew: async () => {
      await knex("maintenanceWindows").delete();
      await knex("maintenanceEvents").delete();
      test.team = await test.createTeam();
    },
    createCheck: (overrides: Parameters<typeof aCheck>[0] = {}) => createCheck(test, overrides),
    create: async (overrides: object = {}) => {
      const { status, body } = await test.call("POST", WINDOWS_PATH, aWindow(overrides));
      if (status !== 201) throw new Error(`creating a window: ${status} ${JSON.stringify(body)}`);
      return body.maintenanceWindow;
    },
    get: async (id: string) => (await test.call("GET", `${WINDOWS_PATH}/${id}`)).body.maintenanceWindow,
    look: async () => {
      const events = await applyWindows(test.services);
      return events.map((event) => `${event.windowName} ${event.type}`);
    },
    rowOf: async ({ id }: { id: string }) =>
      knex("checks").where({ id }).first("enabled", "paused", "revision", "updatedAt"),
    schedulesOf: async ({ id }: { id: string }) =>
      knex("checkRevisions")
        .where({ checkKey: await keyOfCheck(knex, id) })
        .orderBy("revision")
        .select("enabled", "effectiveFromMs", "effectiveUntilMs", "revision"),
  });
}

/** Does the work of both jobs of windows once, by the services' clock. Returns the events that it recorded. */
export async function applyWindows({ knex, log, clock }: WindowServices): Promise<MaintenanceEvent[]> {
  await expandWindows(knex, log, clock.nowMs());
  return switchWindows(postgresWindowSwitchStore(knex), clock.nowMs());
}
