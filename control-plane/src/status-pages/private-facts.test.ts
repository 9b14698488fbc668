/** Nothing of a check but its state and its shares comes out of a status page, whatever checks, locations and results hold. */

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS, newId } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { createCheck, createLocation } from "../../test-support/checks-app.ts";
import { alertingDependents } from "../alerting/check-dependents.ts";
import { registerLabelRoutes } from "../checks/labels/routes.ts";
import { registerLocationRoutes } from "../checks/locations/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { assertChannelsExist } from "../outbox/channels/assert-channels-exist.ts";
import { exportPages } from "./export/export-pages.ts";
import { folderStore } from "./export/folder-store.ts";
import { registerStatusPageRoutes } from "./routes.ts";
import { StatusViews } from "./view/views.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerLabelRoutes(app, services, [alertingDependents]);
      await registerLocationRoutes(app, services, assertChannelsExist);
      registerMaintenanceRoutes(app, services);
      registerStatusPageRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

/** Words that stand nowhere in a page by chance. */
const planted = fc.stringMatching(/^zq[a-z]{12}$/);
const factsArbitrary = fc.record({
  host: planted,
  path: planted,
  header: planted,
  checkName: planted,
  label: planted,
  location: planted,
  errorText: planted,
  windowName: planted,
  alertTitle: planted,
  status: fc.constantFrom(1, 2, 3, 4),
  byLabel: fc.boolean(),
  isHeld: fc.boolean(),
});

type Facts = typeof factsArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

let nth = 0;

it("shows none of the planted facts in any form", async () => {
  await fc.assert(
    fc.asyncProperty(factsArbitrary, async (planted) => {
      test.team = await test.createTeam();
      const slug = `page-${nth++}`;
      const { ids, isShown } = await plant(planted, slug);
      const texts: string[] = [];
      for (const form of ["", ".json", "/badge.svg", "/feed.atom"]) {
        const { statusCode, body, headers } = await test.app.inject({
          method: "GET",
          url: `/status/${slug}${form}`,
        });
        expect(statusCode).toBe(200);
        texts.push(body, JSON.stringify(headers));
      }
      texts.push(...(await exported(slug)));
      const { statusCode, body } = await test.app.inject({ method: "GET", url: `/status/${slug}-x` });
      expect(statusCode).toBe(404);
      const all = [...texts, body].join("\n");
      // The chosen texts are there, so that the page is not empty.
      for (const shown of isShown) expect(all).toContain(shown);
      const words = Object.values(planted).filter((value): value is string => typeof value === "string");
      for (const fact of [...words, ...ids, test.team.teamId, "loc_us_east", "chk_", "team_", "usr_"])
        expect(all.includes(fact), fact).toBe(false);
    }),
    { numRuns: 12 },
  );
});

/** Returns the names and texts of the files into which the page is exported. */
async function exported(slug: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "svc-status-"));
  try {
    const views = new StatusViews(test.services);
    await exportPages(test.services, { store: folderStore(folder), views, written: new Map() });
    const names = await readdir(join(folder, slug));
    expect(names.sort()).toEqual(["badge.svg", "feed.atom", "index.html", "status.json"]);
    return [
      ...names,
      ...(await Promise.all(names.map((name) => readFile(join(folder, slug, name), "utf8")))),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Plants facts into a team's records, publishes a page of its check, and returns ids of records and the texts that were chosen. */
async function plant(facts: Facts, slug: string): Promise<{ ids: string[]; isShown: string[] }> {
  const { knex } = test.services;
  const location = await createLocation(test, facts.location);
  const check = await createCheck(test, {
    name: facts.checkName,
    locations: ["loc_us_east", location.id],
    httpConfig: {
      url: `https://${facts.host}.example/${facts.path}`,
      headers: { "x-key": facts.header },
    },
  });
  await test.call("PUT", `/api/checks/${check.id}/labels`, { labels: [facts.label] });
  const slotMs = test.clock.nowMs() - MINUTE_MS;
  const checkKey = await keyOfCheck(knex, check.id);
  for (const id of ["loc_us_east", location.id])
    await storeResults(knex, [
      aResult(
        { checkKey, locationKey: await keyOfLocation(knex, id), slotMs },
        { status: facts.status, detail: { errorMessage: `connect ${facts.errorText}` } },
      ),
    ]);
  if (facts.isHeld)
    await test.call("POST", "/api/maintenance-windows", {
      name: facts.windowName,
      mode: "continue",
      checkIds: [check.id],
      startsAt: new Date(slotMs).toISOString(),
      endsAt: new Date(slotMs + 10 * MINUTE_MS).toISOString(),
    });
  await knex("incidents").insert({
    teamId: test.team.teamId,
    severity: "critical",
    id: newId("incident"),
    title: facts.alertTitle,
    state: "open",
    dimensions: [],
    fingerprintHash: facts.alertTitle,
    hypothesis: "null",
    observations: "[]",
    memberCount: 0,
    openMemberCount: 0,
    openedAt: new Date(slotMs),
  });
  const { statusPage } = (
    await test.call("POST", "/api/status-pages", {
      slug,
      title: "Chosen title",
      isPublished: true,
      components: [
        { name: "Chosen name", ...(facts.byLabel ? { labels: [facts.label] } : { checkId: check.id }) },
      ],
    })
  ).body;
  const notice = {
    kind: "incident",
    title: "Chosen notice",
    text: "Chosen text",
    components: ["Chosen name"],
  };
  await test.call("POST", `/api/status-pages/${statusPage.id}/notices`, notice);
  return {
    ids: [check.id, location.id, statusPage.id],
    isShown: ["Chosen title", "Chosen name", "Chosen notice", "Chosen text"],
  };
}
