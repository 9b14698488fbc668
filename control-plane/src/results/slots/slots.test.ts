import {
  type Check,
  type LocationId,
  phaseMs,
  type SlotCell,
  type Slots,
  slotAtOrAfter,
} from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerCoverageRoutes } from "../coverage/routes.ts";
import { registerSlotRoutes } from "./routes.ts";

const HOUR_MS = 3_600_000;
const LOCATIONS = ["loc_us_east", "loc_us_west"] as LocationId[];
let test: TestApp;
let locationKeys: Record<string, number>;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCoverageRoutes(app, services);
      registerSlotRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  const keys = LOCATIONS.map(async (id) => [id, await keyOfLocation(test.services.knex, id)] as const);
  locationKeys = Object.fromEntries(await Promise.all(keys));
});
afterAll(() => test.close());
beforeEach(() => test.clock.advance(24 * HOUR_MS));

async function createCheck(overrides: object = {}): Promise<Check & { key: number }> {
  const wanted = { ...aCheck({ frequencySeconds: 60 }), ...overrides, enabled: false };
  const { body } = await test.call("POST", "/api/checks", wanted as ReturnType<typeof aCheck>);
  await test.call("PUT", `/api/checks/${body.check.id}`, { enabled: true });
  return { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
}

const slotsFromNow = (check: Check, count: number) => {
  const periodMs = check.frequencySeconds * 1000;
  const first = slotAtOrAfter(test.clock.nowMs(), periodMs, phaseMs(check.id, check.frequencySeconds));
  return Array.from({ length: count }, (_, i) => first + i * periodMs);
};

async function slotsOf(check: Check, query = ""): Promise<Slots> {
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/slots?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const store = (check: { key: number }, slots: number[], overrides: object = {}, at = "loc_us_east") =>
  storeResults(
    test.services.knex,
    slots.map((slotMs) =>
      aResult({ checkKey: check.key, locationKey: locationKeys[at] ?? 0, slotMs }, overrides),
    ),
  );

it("each slot is a cell with its result, or the reason why it has none, and the youngest are pending", async () => {
  const check = await createCheck();
  const [success = 0, failure = 0, lost = 0, absent = 0, young = 0] = slotsFromNow(check, 5);
  await store(check, [success]);
  await store(check, [failure], { status: 3, startDelayMs: 5_000 });
  await test.services.knex("missedSlots").insert({
    checkKey: check.key,
    locationKey: locationKeys.loc_us_east,
    slotMs: lost,
    reason: "runner_oom",
  });
  test.clock.advance(young - test.clock.nowMs() + 1_000);
  const { cellMs, idle, locations } = await slotsOf(check);
  expect(cellMs).toBeNull();
  expect(idle.map(({ reason }) => reason)).toEqual(["not_yet"]);
  expect(locations[0]).toMatchObject({
    expected: 4,
    received: 2,
    late: 1,
    missing: { runner_oom: 1, no_runner: 1 },
  });
  const at = (ms: number) => ({ at: new Date(ms).toISOString() });
  const isId = expect.stringMatching(/^res_/);
  expect(locations[0]?.cells).toEqual([
    { ...at(success), expected: 1, received: 1, worst: "success", resultId: isId },
    { ...at(failure), expected: 1, received: 1, late: 1, worst: "error", resultId: isId },
    { ...at(lost), expected: 1, received: 0, missing: { runner_oom: 1 } },
    { ...at(absent), expected: 1, received: 0, missing: { no_runner: 1 } },
    { ...at(young), expected: 0, received: 0, pending: 1 },
  ]);
});

it("a young slot that has its result shows it", async () => {
  const check = await createCheck();
  const [young = 0] = slotsFromNow(check, 1);
  await store(check, [young], { status: 2 });
  test.clock.advance(young - test.clock.nowMs() + 1_000);
  const { locations } = await slotsOf(check);
  expect(locations[0]?.cells).toMatchObject([{ expected: 0, pending: 1, worst: "failure" }]);
});

it("where slots are many, a cell holds several and shows the newest of the worst", async () => {
  const check = await createCheck();
  const slots = slotsFromNow(check, 60);
  await store(check, slots.slice(0, 50));
  await store(check, slots.slice(50, 55), { status: 2 });
  test.clock.advance(HOUR_MS + 90_000);
  const from = new Date(test.clock.nowMs() - 2 * HOUR_MS).toISOString();
  const { cellMs, locations } = await slotsOf(check, `from=${from}&cells=4`);
  expect(cellMs).toBe(HOUR_MS / 2);
  const cells = locations[0]?.cells ?? [];
  expect(cells.length).toBeLessThanOrEqual(4);
  expect(sumOf(cells, "received")).toBe(55);
  expect(cells.filter(({ worst }) => worst === "failure").length).toBeGreaterThan(0);
});

it("a time in which the check was disabled is idle", async () => {
  const check = await createCheck();
  test.clock.advance(HOUR_MS);
  const stoppedAt = new Date(test.clock.nowMs()).toISOString();
  await test.call("PUT", `/api/checks/${check.id}`, { enabled: false });
  test.clock.advance(HOUR_MS);
  const { idle, to } = await slotsOf(check);
  expect(idle.at(-1)).toEqual({ from: stoppedAt, to, reason: "disabled" });
});

it.each([
  ["cells=401", "cells"],
  ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
  ["from=2020-01-02T00:00:00Z", "from"],
])("%s is refused", async (query, field) => {
  const check = await createCheck();
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/slots?${query}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(field)]);
});

it("a range of more slots than can be counted is refused with their number", async () => {
  const check = await createCheck({ frequencySeconds: 10 });
  await test.services
    .knex("checkRevisions")
    .where({ checkKey: check.key })
    .update({ effectiveFromMs: test.clock.nowMs() - 30 * 24 * HOUR_MS });
  test.clock.advance(HOUR_MS);
  const from = new Date(test.clock.nowMs() - 30 * 24 * HOUR_MS).toISOString();
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/slots?from=${from}`);
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringMatching(/holds 25\d+ slots; at most 200000/),
  ]);
});

const sumOf = (cells: readonly SlotCell[], of: "expected" | "received") =>
  cells.reduce((sum, cell) => sum + cell[of], 0);

it("the sums over all cells are those of coverage, whatever the check did and however wide the cells are", async () => {
  const change = fc.record({
    frequencySeconds: fc.constantFrom(60, 90, 300),
    locations: fc.constantFrom(LOCATIONS, LOCATIONS.slice(0, 1), [...LOCATIONS].reverse()),
    enabled: fc.boolean(),
    afterMs: fc.integer({ min: 1, max: 2 * HOUR_MS }),
    triggers: fc.boolean(),
  });
  const story = fc.array(change, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      story,
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 0, max: 2 }),
      async (steps, cells, gap) => {
        const check = await createCheck();
        for (const { afterMs, triggers, ...update } of steps) {
          await test.call("PUT", `/api/checks/${check.id}`, update);
          if (triggers) await test.call("POST", `/api/checks/${check.id}/trigger`);
          const slots = slotsFromNow(
            { ...check, ...update },
            Math.floor(afterMs / (update.frequencySeconds * 1000)),
          );
          // Some slots have results, in one location only, on the grid of the check as it is now.
          if (update.enabled)
            await store(
              check,
              slots.filter((_, i) => i % 3 > gap),
            );
          test.clock.advance(afterMs);
        }
        for (const range of ["1h", "6h", "24h"]) {
          const { body: coverage } = await test.call(
            "GET",
            `/api/checks/${check.id}/coverage?range=${range}`,
          );
          const slots = await slotsOf(check, `from=${coverage.from}&to=${coverage.to}&cells=${cells}`);
          const wanted = coverage.locations.map(
            (one: Slots["locations"][number] & { missingCount: number }) => ({
              locationId: one.locationId,
              expected: one.expected,
              received: one.received,
              late: one.late,
              missing: one.missingCount,
            }),
          );
          const found = slots.locations.map(
            ({ locationId, expected, received, late, missing, cells: shown }) => {
              expect([sumOf(shown, "expected"), sumOf(shown, "received")]).toEqual([expected, received]);
              const count = Object.values(missing).reduce((sum, one) => sum + one, 0);
              return { locationId, expected, received, late, missing: count };
            },
          );
          const counted = (all: typeof wanted) =>
            all.filter(({ expected }: { expected: number }) => expected > 0);
          expect(counted(found)).toEqual(counted(wanted));
        }
        test.clock.advance(24 * HOUR_MS);
      },
    ),
    { numRuns: 15 },
  );
});
