import { type CheckId, DAY_MS, HOUR_MS, type TlsFacts } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../../test-support/builders.ts";
import { tlsFacts } from "../../../test-support/telemetry.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { emptyColumns } from "../../results/ingest/columns.ts";
import { writeGroup } from "../../results/ingest/write-group.ts";
import { ensurePartitions } from "../../results/retention/partitions.ts";
import { registerCertificateRoutes } from "./routes.ts";
import { trackCertificates } from "./track-certificates.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCertificateRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  await ensurePartitions(test.services.knex, test.clock.nowMs() - DAY_MS, test.clock.nowMs() + DAY_MS);
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const iso = (ms: number) => new Date(ms).toISOString();
const newCheck = async (name: string, locations = ["loc_us_east", "loc_us_west"]): Promise<CheckId> =>
  (await test.call("POST", "/api/checks", aCheck({ name, locations }))).body.check.id;

/** Stores what one run of a check saw, as ingest does. */
async function see(checkId: CheckId, locationId: string, facts: Partial<TlsFacts>): Promise<number> {
  const { knex } = test.services;
  test.clock.advance(10_000);
  const slotMs = test.clock.nowMs();
  const checkKey = await keyOfCheck(knex, checkId);
  const group = { columns: emptyColumns(), details: [], facts: [] } as Parameters<typeof writeGroup>[1];
  const values = {
    checkKeys: checkKey,
    locationKeys: await keyOfLocation(knex, locationId),
    slotsMs: slotMs,
    runnerKeys: 1,
    statuses: 1,
    traceIds: "NULL",
  };
  for (const [name, column] of Object.entries(group.columns) as [keyof typeof values, unknown[]][])
    column.push(values[name] ?? 1);
  const value = tlsFacts(facts);
  group.facts.push({ row: 0, kind: "tls", value, json: JSON.stringify(value) });
  const { teamId } = test.team;
  const consume = trackCertificates(() => ({ id: checkId, teamId }));
  await knex.transaction((trx) => writeGroup(trx, group, { bucketsMs: [], consume }));
  return slotMs;
}

const list = async (query = "") => (await test.call("GET", `/api/certificates${query}`)).body;

it("the certificates of all checks are listed, the soonest to end first, with each location's newest sighting", async () => {
  const [shop, api] = [await newCheck("Shop"), await newCheck("API")];
  const [soonMs, lateMs] = [test.clock.nowMs() + 5 * DAY_MS + HOUR_MS, test.clock.nowMs() + 90 * DAY_MS];
  const untrusted = { isTrusted: false, trustError: "self-signed certificate", isSelfSigned: true };
  await see(api, "loc_us_east", { host: "api.example.com", validTo: iso(soonMs), ...untrusted });
  await see(shop, "loc_us_east", { host: "shop.example.com", validTo: iso(soonMs) });
  const rolledAtMs = await see(shop, "loc_us_east", {
    host: "shop.example.com",
    validTo: iso(lateMs),
    fingerprintSha256: "b".repeat(64),
  });
  await see(shop, "loc_us_west", { host: "shop.example.com", validTo: iso(lateMs + DAY_MS) });
  const { certificates } = await list();
  expect(certificates).toMatchObject([
    {
      checkId: api,
      checkName: "API",
      host: "api.example.com",
      expiresAt: iso(soonMs),
      daysLeft: 5,
      sightings: [{ locationId: "loc_us_east", protocol: "TLSv1.3", ...untrusted }],
    },
    { checkId: shop, host: "shop.example.com", expiresAt: iso(lateMs), daysLeft: 89 },
  ]);
  expect(certificates[1].sightings).toMatchObject([
    { locationId: "loc_us_east", fingerprintSha256: "b".repeat(64), changedAt: iso(rolledAtMs) },
    { locationId: "loc_us_west", fingerprintSha256: "a".repeat(64) },
  ]);
  const first = await list("?limit=1");
  expect(first.certificates).toEqual(certificates.slice(0, 1));
  expect((await list(`?limit=1&cursor=${first.nextCursor}`)).certificates).toEqual(certificates.slice(1));
  const ofCheck = await test.call("GET", `/api/checks/${api}/certificates`);
  expect(ofCheck.body).toEqual({ certificates: certificates.slice(0, 1) });
});

it("a host that the check asked before, and a location that it left, are no longer listed", async () => {
  const check = await newCheck("Moved");
  await see(check, "loc_us_east", { host: "old.example.com" });
  await see(check, "loc_us_west", { host: "old.example.com" });
  await see(check, "loc_us_east", { host: "new.example.com" });
  expect((await list()).certificates.map(({ host }: { host: string }) => host).sort()).toEqual([
    "new.example.com",
    "old.example.com",
  ]);
  await test.call("PUT", `/api/checks/${check}`, { locations: ["loc_us_east"] });
  expect((await list()).certificates).toMatchObject([
    { host: "new.example.com", sightings: [{ locationId: "loc_us_east" }] },
  ]);
});

it("another team sees none of them", async () => {
  const check = await newCheck("Mine");
  await see(check, "loc_us_east", {});
  const stranger = await test.createTeam();
  const foreign = (path: string) => test.call("GET", path, undefined, stranger.byKey);
  expect((await foreign("/api/certificates")).body.certificates).toEqual([]);
  expect((await foreign(`/api/checks/${check}/certificates`)).status).toBe(404);
});
