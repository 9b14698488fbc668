import {
  type Check,
  type CheckId,
  DAY_MS,
  HOUR_MS,
  type MaintenanceWindow,
  MINUTE_MS,
  newId,
} from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, keyOfCheck } from "../../../test-support/builders.ts";
import { readChangedChecks } from "../../fleet/fleet-store.ts";
import { openPool } from "../../platform/db/pool.ts";
import { registerCoverageRoutes } from "../../results/coverage/routes.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { activeWindowsFor } from "./held-store.ts";
import { applyWindows } from "./jobs.ts";
import { registerMaintenanceRoutes } from "./routes.ts";

const PATH = "/api/maintenance-windows";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCoverageRoutes(app, services);
      registerMaintenanceRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("maintenanceWindows").delete();
  await test.services.knex("maintenanceEvents").delete();
  test.team = await test.createTeam();
});

async function createCheck(overrides: Parameters<typeof aCheck>[0] = {}): Promise<Check> {
  return (await test.call("POST", "/api/checks", aCheck(overrides))).body.check;
}

const inMs = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();

/** An hour's window from an hour from now, in pause mode. */
const aWindow = (overrides: object = {}) => ({
  name: "Upgrade",
  checkIds: "all",
  startsAt: inMs(HOUR_MS),
  endsAt: inMs(2 * HOUR_MS),
  ...overrides,
});

async function create(overrides: object = {}): Promise<MaintenanceWindow> {
  const answer = await test.call("POST", PATH, aWindow(overrides));
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.maintenanceWindow;
}
const get = async (id: string): Promise<MaintenanceWindow> =>
  (await test.call("GET", `${PATH}/${id}`)).body.maintenanceWindow;

/** Runs the job once. Returns the events that it recorded. */
async function look(): Promise<string[]> {
  const { knex, log } = test.services;
  const events = await applyWindows(knex, log, test.clock.nowMs());
  return events.map((event) => `${event.windowName} ${event.type}`);
}

async function rowOf({ id }: { id: string }) {
  return test.services.knex("checks").where({ id }).first("enabled", "paused", "revision", "updatedAt");
}
async function schedulesOf({ id }: { id: string }) {
  const { knex } = test.services;
  return knex("checkRevisions")
    .where({ checkKey: await keyOfCheck(knex, id) })
    .orderBy("revision")
    .select("enabled", "effectiveFromMs", "effectiveUntilMs", "revision");
}

describe("over REST", () => {
  it("a window comes back with its defaults, as instants", async () => {
    const created = await create({ startsAt: "2026-06-10T22:00:00+02:00", endsAt: "2026-06-10T23:30+02:00" });
    expect(created).toEqual({
      id: expect.stringMatching(/^mw_[0-9a-z]{26}$/),
      teamId: test.team.teamId,
      name: "Upgrade",
      mode: "pause",
      checkIds: "all",
      startsAt: "2026-06-10T20:00:00.000Z",
      endsAt: "2026-06-10T21:30:00.000Z",
      recurring: false,
      recurrenceRule: null,
      timezone: "UTC",
      active: false,
      nextStartsAt: "2026-06-10T20:00:00.000Z",
      createdAt: new Date(test.clock.nowMs()).toISOString(),
      updatedAt: null,
    });
    expect(await get(created.id)).toEqual(created);
    expect((await test.call("GET", PATH)).body.maintenanceWindows).toEqual([created]);
  });

  it("an instant without an offset is wall time in the window's zone", async () => {
    const { startsAt, endsAt } = await create({
      startsAt: "2026-07-10T22:00:00",
      endsAt: "2026-07-10T23:00",
      timezone: "Europe/Berlin",
    });
    expect([startsAt, endsAt]).toEqual(["2026-07-10T20:00:00.000Z", "2026-07-10T21:00:00.000Z"]);
  });

  it("a recurring one says when it starts next, whether it holds, and goes on saying so", async () => {
    const rule = { recurring: true, recurrenceRule: "FREQ=WEEKLY", timezone: "Europe/Berlin" };
    const { id, startsAt } = await create(rule);
    test.clock.advance(90 * MINUTE_MS);
    expect(await get(id)).toMatchObject({
      active: true,
      nextStartsAt: new Date(Date.parse(startsAt) + 7 * DAY_MS).toISOString(),
    });
    for (let week = 0; week < 20; week++) {
      test.clock.advance(7 * DAY_MS);
      await look();
      expect((await get(id)).active, `week ${week}`).toBe(true);
    }
  });

  it.each([
    ["no name", { name: undefined }, "name"],
    ["no checks", { checkIds: [] }, "checkIds"],
    ["another word for all", { checkIds: "every" }, "checkIds"],
    ["a check listed twice", { checkIds: ["chk_a", "chk_a"] }, "checkIds"],
    ["a check that is not there", { checkIds: ["chk_01h2xcejqtf2nbrexx3vqjhp41"] }, "checkIds"],
    ["an end before its start", { endsAt: "2020-01-01T00:00:00Z" }, "endsAt"],
    ["no such day", { startsAt: "2026-02-31T25:00:00Z" }, "startsAt"],
    ["a day that its month has not", { endsAt: "2099-02-30T12:00:00Z" }, "endsAt"],
    ["an instant that is no date", { startsAt: "tomorrow" }, "startsAt"],
    ["an unknown mode", { mode: "stop" }, "mode"],
    ["an unknown zone", { timezone: "Mars/Olympus" }, "timezone"],
    ["an offset as a zone", { timezone: "+02:00" }, "timezone"],
    ["no rule although it recurs", { recurring: true }, "recurrenceRule"],
    ["a rule although it does not recur", { recurrenceRule: "FREQ=DAILY" }, "recurrenceRule"],
    ["a rule that is none", { recurring: true, recurrenceRule: "FREQ=NEVER" }, "recurrenceRule"],
    ["an unknown field", { checks: "all" }, "checks"],
  ])("%s is 400 and named", async (_title, overrides, field) => {
    const { status, body } = await test.call("POST", PATH, aWindow(overrides));
    expect([status, Object.keys(body.details?.fieldErrors ?? body)]).toEqual([400, [field]]);
  });

  it("a name is taken once per team; it is free again after a deletion", async () => {
    const { id } = await create();
    const again = await test.call("POST", PATH, aWindow());
    expect([again.status, again.body]).toEqual([
      409,
      { error: 'A maintenance window named "Upgrade" already exists' },
    ]);
    const other = await create({ name: "Other" });
    expect((await test.call("PUT", `${PATH}/${other.id}`, { name: "Upgrade" })).status).toBe(409);
    await test.call("DELETE", `${PATH}/${id}`);
    await create();
  });

  it("changes what is given and nothing else; what was read can be put back", async () => {
    const check = await createCheck();
    const created = await create();
    test.clock.advance(1_000);
    const { body } = await test.call("PUT", `${PATH}/${created.id}`, {
      checkIds: [check.id],
      mode: "continue",
    });
    const updatedAt = new Date(test.clock.nowMs()).toISOString();
    expect(body.maintenanceWindow).toEqual({ ...created, checkIds: [check.id], mode: "continue", updatedAt });
    const back = await test.call("PUT", `${PATH}/${created.id}`, body.maintenanceWindow);
    expect(back.body.maintenanceWindow).toEqual(body.maintenanceWindow);
  });

  it("a rule makes it recurring, and it can be made a single one again", async () => {
    const { id } = await create();
    const daily = await test.call("PUT", `${PATH}/${id}`, { recurrenceRule: "FREQ=DAILY" });
    expect(daily.body.maintenanceWindow).toMatchObject({ recurring: true, recurrenceRule: "FREQ=DAILY" });
    const single = await test.call("PUT", `${PATH}/${id}`, { recurring: false });
    expect(single.body.maintenanceWindow).toMatchObject({ recurring: false, recurrenceRule: null });
  });

  it("another team's window is not found, and its checks can't be named", async () => {
    const check = await createCheck();
    const { id } = await create();
    const other = await test.createTeam();
    for (const [method, body] of [["GET"], ["PUT", { name: "x" }], ["DELETE"]] as const) {
      const answer = await test.call(method, `${PATH}/${id}`, body, other.byKey);
      expect([answer.status, answer.body]).toEqual([404, { error: "Maintenance window not found" }]);
    }
    const naming = await test.call("POST", PATH, aWindow({ checkIds: [check.id] }), other.byKey);
    expect(naming.status).toBe(400);
    expect((await test.call("GET", `${PATH}/${newId("check")}`)).status).toBe(404);
  });

  it("a deleted check leaves its windows", async () => {
    const [check, other] = [await createCheck(), await createCheck()];
    const { id } = await create({ checkIds: [check.id, other.id] });
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await get(id)).checkIds).toEqual([other.id]);
  });
});

describe("what holds for a check", () => {
  it("is each window that names it or all, from its first millisecond to before its last", async () => {
    const [check, other] = [await createCheck(), await createCheck()];
    const one = await create({ name: "one", mode: "continue", checkIds: [check.id] });
    const all = await create({ name: "all", endsAt: inMs(90 * MINUTE_MS) });
    const startsAtMs = Date.parse(one.startsAt);
    const at = async (ms: number) =>
      (
        await activeWindowsFor(test.services.knex, {
          teamId: test.team.teamId,
          checkIds: [check.id, other.id] as CheckId[],
          atMs: ms,
        })
      ).map(
        (window) => `${window.checkId === check.id ? "check" : "other"} ${window.windowName} ${window.mode}`,
      );
    expect(await at(startsAtMs - 1)).toEqual([]);
    expect((await at(startsAtMs)).sort()).toEqual([
      "check all pause",
      "check one continue",
      "other all pause",
    ]);
    expect(await at(Date.parse(all.endsAt))).toEqual(["check one continue"]);
    expect(await at(Date.parse(one.endsAt) - 1)).toEqual(["check one continue"]);
    expect(await at(Date.parse(one.endsAt))).toEqual([]);
    const team = await test.createTeam();
    const checkIds = [check.id] as CheckId[];
    expect(
      await activeWindowsFor(test.services.knex, { teamId: team.teamId, checkIds, atMs: startsAtMs }),
    ).toEqual([]);
  });
});

describe("pause mode", () => {
  it("the check's schedule stops with the window and goes on after it; the check itself is unchanged", async () => {
    const check = await createCheck({ frequencySeconds: 60 });
    await create();
    await look();
    expect(await rowOf(check)).toMatchObject({ paused: false });
    test.clock.advance(HOUR_MS);
    const startedAtMs = test.clock.nowMs();
    await look();
    await look();
    expect(await rowOf(check)).toMatchObject({ enabled: true, paused: true, updatedAt: null });
    test.clock.advance(HOUR_MS);
    const endedAtMs = test.clock.nowMs();
    await look();
    expect(await schedulesOf(check)).toMatchObject([
      { enabled: true, effectiveUntilMs: startedAtMs },
      { enabled: false, effectiveFromMs: startedAtMs, effectiveUntilMs: endedAtMs },
      { enabled: true, effectiveFromMs: endedAtMs, effectiveUntilMs: null },
    ]);
    const row = await rowOf(check);
    expect(row).toMatchObject({ enabled: true, paused: false });
    expect(row.revision).toBe((await schedulesOf(check)).at(-1)?.revision);
  });

  it("the fleet sees a paused check as one that is off, and coverage expects nothing of it", async () => {
    const check = await createCheck({ frequencySeconds: 60 });
    await create({ endsAt: inMs(20 * HOUR_MS) });
    test.clock.advance(HOUR_MS);
    await look();
    const seen = (await readChangedChecks(test.services.knex, "0")).find((one) => one.id === check.id);
    expect(seen).toMatchObject({ enabled: false });
    expect(seen?.revisions.at(-1)).toMatchObject({ enabled: false });
    const expected = async () =>
      (await test.call("GET", `/api/checks/${check.id}/coverage?range=24h`)).body.locations[0].expected;
    test.clock.advance(HOUR_MS);
    const before = await expected();
    test.clock.advance(10 * HOUR_MS);
    expect(await expected()).toBe(before);
  });

  it("what is changed meanwhile holds afterwards; a check that is off stays off", async () => {
    const [changed, switchedOff] = [await createCheck({ frequencySeconds: 60 }), await createCheck()];
    await create();
    test.clock.advance(HOUR_MS);
    await look();
    await test.call("PUT", `/api/checks/${changed.id}`, { frequencySeconds: 30 });
    await test.call("PUT", `/api/checks/${switchedOff.id}`, { enabled: false });
    expect((await schedulesOf(changed)).at(-1)).toMatchObject({ enabled: false });
    test.clock.advance(HOUR_MS);
    await look();
    expect((await schedulesOf(changed)).at(-1)).toMatchObject({ enabled: true });
    expect((await schedulesOf(switchedOff)).at(-1)).toMatchObject({ enabled: false });
  });

  it("a check that is created meanwhile is paused, too, when the window is for all", async () => {
    await create();
    test.clock.advance(HOUR_MS);
    await look();
    const check = await createCheck();
    await look();
    expect(await rowOf(check)).toMatchObject({ paused: true });
  });

  it("two windows that overlap: it goes on when the last one ends", async () => {
    const check = await createCheck();
    await create({ name: "one" });
    await create({ name: "two", startsAt: inMs(90 * MINUTE_MS), endsAt: inMs(3 * HOUR_MS) });
    for (const [ms, paused] of [
      [HOUR_MS, true],
      [HOUR_MS, true],
      [HOUR_MS, false],
    ] as const) {
      test.clock.advance(ms);
      await look();
      expect(await rowOf(check)).toMatchObject({ paused });
    }
  });

  it.each([
    ["deleted", (id: string) => test.call("DELETE", `${PATH}/${id}`)],
    ["changed to continue", (id: string) => test.call("PUT", `${PATH}/${id}`, { mode: "continue" })],
    [
      "moved",
      (id: string) => test.call("PUT", `${PATH}/${id}`, { startsAt: inMs(DAY_MS), endsAt: inMs(2 * DAY_MS) }),
    ],
    ["shortened", (id: string) => test.call("PUT", `${PATH}/${id}`, { endsAt: inMs(-1) })],
  ])("a window that is %s while it holds lets its checks go", async (_title, change) => {
    const check = await createCheck();
    const { id } = await create();
    test.clock.advance(HOUR_MS + MINUTE_MS);
    await look();
    expect(await rowOf(check)).toMatchObject({ paused: true });
    expect((await change(id)).status).toBe(200);
    await look();
    expect(await rowOf(check)).toMatchObject({ paused: false });
  });

  it("checks of another team, and those that it does not name, run on", async () => {
    const [named, other] = [await createCheck(), await createCheck()];
    const team = test.team;
    test.team = await test.createTeam();
    const foreign = await createCheck();
    test.team = team;
    await create({ checkIds: [named.id] });
    test.clock.advance(HOUR_MS);
    await look();
    const paused = await Promise.all(
      [named, other, foreign].map(async (check) => (await rowOf(check)).paused),
    );
    expect(paused).toEqual([true, false, false]);
  });
});

describe("continue mode", () => {
  it("checks run on", async () => {
    const check = await createCheck();
    await create({ mode: "continue" });
    test.clock.advance(HOUR_MS);
    expect(await look()).toEqual(["Upgrade started"]);
    expect(await rowOf(check)).toMatchObject({ paused: false });
    expect(await schedulesOf(check)).toHaveLength(1);
  });
});

describe("starts and ends", () => {
  it("each is recorded once, whoever looks and however often", async () => {
    await create();
    expect(await look()).toEqual([]);
    test.clock.advance(HOUR_MS);
    const replica = openPool(test.database.url, { poolMax: 4 });
    const { log } = test.services;
    const seen: string[] = [];
    const both = () =>
      Promise.all(
        [test.services.knex, replica].map(async (knex) => {
          const events = await applyWindows(knex, log, test.clock.nowMs());
          seen.push(...events.map((event) => event.type));
        }),
      );
    await both();
    await both();
    expect(seen).toEqual(["started"]);
    test.clock.advance(HOUR_MS);
    await both();
    await both();
    expect(seen).toEqual(["started", "ended"]);
    await replica.destroy();
  });

  it("those that nobody was there to see are made up for, at the instants when they were", async () => {
    const window = await create();
    test.clock.advance(DAY_MS);
    expect(await look()).toEqual(["Upgrade started", "Upgrade ended"]);
    const events = await test.services
      .knex("maintenanceEvents")
      .where({ windowId: window.id })
      .orderBy("createdAt");
    expect(events.map((event) => [event.type, event.createdAt])).toEqual([
      ["started", window.startsAt],
      ["ended", window.endsAt],
    ]);
  });

  it("of a recurring window each occurrence has its own", async () => {
    await create({ recurring: true, recurrenceRule: "FREQ=DAILY;COUNT=2" });
    const seen: string[] = [];
    for (let i = 0; i < 4 * 24; i++) {
      test.clock.advance(HOUR_MS);
      seen.push(...(await look()));
    }
    expect(seen).toEqual(["Upgrade started", "Upgrade ended", "Upgrade started", "Upgrade ended"]);
  });

  it("a window that is deleted while it holds ends then", async () => {
    const { id } = await create();
    test.clock.advance(HOUR_MS + MINUTE_MS);
    await look();
    await test.call("DELETE", `${PATH}/${id}`);
    expect(await look()).toEqual(["Upgrade ended"]);
    const [ended] = await test.services.knex("maintenanceEvents").where({ windowId: id, type: "ended" });
    expect(ended.createdAt).toBe(new Date(test.clock.nowMs()).toISOString());
    test.clock.advance(DAY_MS);
    expect(await look()).toEqual([]);
  });
});
