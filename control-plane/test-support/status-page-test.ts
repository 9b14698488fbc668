/** The REST server with status pages, and the steps that tests of them are written in. */
import { type Check, MINUTE_MS, type StatusPageView } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { alertingDependents } from "../src/alerting/check-dependents.ts";
import { registerLabelRoutes } from "../src/checks/labels/routes.ts";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../src/checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import { registerStatusPageRoutes } from "../src/status-pages/routes.ts";
import { VIEW_LIFETIME_MS } from "../src/status-pages/view/views.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { aResult, keyOfCheck, keyOfLocation, storeResults } from "./builders.ts";

export const STATUS_PAGES_PATH = "/api/status-pages";

/**
 * Gives a file's tests one app, closed after the last of them, and each test a team and a slug of its own. Call it at the file's top
 * level.
 * @param accept called with the app before the first test
 */
export function useStatusPages(accept: (app: TestApp) => void) {
  let test: TestApp;
  let nth = 0;
  beforeAll(async () => {
    test = await createTestApp({
      settings: { SVC_CAP_STATUS_PAGES: "3", SVC_CAP_STATUS_NOTICES: "4" },
      register: (app, services) => {
        registerCheckRoutes(app, services, [alertingDependents]);
        registerLabelRoutes(app, services, [alertingDependents]);
        registerMaintenanceRoutes(app, services);
        registerStatusPageRoutes(app, services);
      },
    });
    await seedHostedLocations(test.services.knex);
    accept(test);
  });
  afterAll(() => test?.close());
  beforeEach(async () => {
    test.team = await test.createTeam();
    nth++;
  });
  const slug = () => `page-${nth}`;
  const create = (overrides: object = {}) =>
    test.call("POST", STATUS_PAGES_PATH, { slug: slug(), title: "Shop", isPublished: true, ...overrides });
  /** Reads a public form without any credential, when nothing older is kept. */
  const read = async (form = ".json", headers: Record<string, string> = {}) => {
    test.clock.advance(VIEW_LIFETIME_MS);
    const answer = await test.app.inject({ method: "GET", url: `/status/${slug()}${form}`, headers });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body };
  };
  const view = async (): Promise<StatusPageView> => {
    const { status, text } = await read();
    expect(status, text).toBe(200);
    return JSON.parse(text);
  };
  return {
    slug,
    create,
    read,
    view,
    aPage: async (overrides: object = {}) => {
      const { status, body } = await create(overrides);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.statusPage;
    },
    aNotice: async (page: { id: string }, overrides: object = {}) => {
      const notice = { kind: "incident", title: "Slow", text: "We look into it.", ...overrides };
      const { status, body } = await test.call("POST", `${STATUS_PAGES_PATH}/${page.id}/notices`, notice);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.notice;
    },
    stateOf: async (name: string) =>
      (await view()).components.find((component) => component.name === name)?.state,
    /** Stores results of a check a moment ago, by location. */
    deliver: async (check: Check, statuses: Record<string, number>, agoMs = MINUTE_MS): Promise<void> => {
      const { knex } = test.services;
      const checkKey = await keyOfCheck(knex, check.id);
      for (const [location, status] of Object.entries(statuses)) {
        const locationKey = await keyOfLocation(knex, location);
        const slotMs = test.clock.nowMs() - agoMs;
        await storeResults(knex, [aResult({ checkKey, locationKey, slotMs }, { status })]);
      }
    },
  };
}
