import { DAY_MS, MINUTE_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createMaintenanceTest,
  type MaintenanceTest,
  WINDOWS_PATH,
} from "../../../test-support/maintenance-test.ts";

let test: MaintenanceTest;
beforeAll(async () => {
  test = await createMaintenanceTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("over REST", () => {
  it("a window comes back with its defaults, as instants", async () => {
    const created = await test.create({
      startsAt: "2026-06-10T22:00:00+02:00",
      endsAt: "2026-06-10T23:30+02:00",
    });
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
    expect(await test.get(created.id)).toEqual(created);
    expect((await test.call("GET", WINDOWS_PATH)).body.maintenanceWindows).toEqual([created]);
  });

  it("an instant without an offset is wall time in the window's zone", async () => {
    const { startsAt, endsAt } = await test.create({
      startsAt: "2026-07-10T22:00:00",
      endsAt: "2026-07-10T23:00",
      timezone: "Europe/Berlin",
    });
    expect([startsAt, endsAt]).toEqual(["2026-07-10T20:00:00.000Z", "2026-07-10T21:00:00.000Z"]);
  });

  it("a recurring one says when it starts next, whether it holds, and goes on saying so", async () => {
    const rule = { recurring: true, recurrenceRule: "FREQ=WEEKLY", timezone: "Europe/Berlin" };
    const { id, startsAt } = await test.create(rule);
    test.clock.advance(90 * MINUTE_MS);
    expect(await test.get(id)).toMatchObject({
      active: true,
      nextStartsAt: new Date(Date.parse(startsAt) + 7 * DAY_MS).toISOString(),
    });
    for (let week = 0; week < 20; week++) {
      test.clock.advance(7 * DAY_MS);
      await test.look();
      expect((await test.get(id)).active, `week ${week}`).toBe(true);
    }
  });

  it("the next occurrences of all windows keep their time of the day when the clocks change, and hold nothing of another team", async () => {
    const daily = { recurring: true, recurrenceRule: "FREQ=WEEKLY", timezone: "Europe/Berlin" };
    test.clock.advance(Date.parse("2026-10-12T00:00:00Z") - test.clock.nowMs());
    const window = await test.create({
      ...daily,
      startsAt: "2026-10-18T02:30",
      endsAt: "2026-10-18T03:30",
    });
    const once = await test.create({
      name: "Once",
      startsAt: "2026-10-20T10:00:00Z",
      endsAt: "2026-10-20T11:00:00Z",
    });
    const path = `${WINDOWS_PATH}/occurrences`;
    const { body } = await test.call("GET", `${path}?limit=4`);
    expect(body.occurrences[0]).toEqual({
      maintenanceWindowId: window.id,
      name: "Upgrade",
      mode: "pause",
      startsAt: window.nextStartsAt,
      endsAt: "2026-10-18T01:30:00.000Z",
      timezone: "Europe/Berlin",
    });
    const starts = body.occurrences.map((one: { startsAt: string }) => one.startsAt);
    expect(starts).toEqual([
      "2026-10-18T00:30:00.000Z",
      once.startsAt,
      "2026-10-25T00:30:00.000Z",
      "2026-11-01T01:30:00.000Z",
    ]);
    test.clock.advance(Date.parse("2026-10-18T01:30:00Z") - test.clock.nowMs());
    const later = (await test.call("GET", path)).body.occurrences;
    expect(later[0].maintenanceWindowId).toBe(once.id);
    const other = await test.createTeam();
    expect((await test.call("GET", path, undefined, other.byKey)).body).toEqual({ occurrences: [] });
    expect((await test.call("GET", `${path}?limit=101`)).status).toBe(400);
    await test.call("DELETE", `${WINDOWS_PATH}/${window.id}`);
    expect((await test.call("GET", path)).body.occurrences).toHaveLength(1);
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
    const { status, body } = await test.call("POST", WINDOWS_PATH, test.aWindow(overrides));
    expect([status, Object.keys(body.details?.fieldErrors ?? body)]).toEqual([400, [field]]);
  });

  it("a name is taken once per team; it is free again after a deletion", async () => {
    const { id } = await test.create();
    const again = await test.call("POST", WINDOWS_PATH, test.aWindow());
    expect([again.status, again.body]).toEqual([
      409,
      { error: 'A maintenance window named "Upgrade" already exists' },
    ]);
    const other = await test.create({ name: "Other" });
    expect((await test.call("PUT", `${WINDOWS_PATH}/${other.id}`, { name: "Upgrade" })).status).toBe(409);
    await test.call("DELETE", `${WINDOWS_PATH}/${id}`);
    await test.create();
  });

  it("changes what is given and nothing else; what was read can be put back", async () => {
    const check = await test.createCheck();
    const created = await test.create();
    test.clock.advance(1_000);
    const { body } = await test.call("PUT", `${WINDOWS_PATH}/${created.id}`, {
      checkIds: [check.id],
      mode: "continue",
    });
    const updatedAt = new Date(test.clock.nowMs()).toISOString();
    expect(body.maintenanceWindow).toEqual({ ...created, checkIds: [check.id], mode: "continue", updatedAt });
    const back = await test.call("PUT", `${WINDOWS_PATH}/${created.id}`, body.maintenanceWindow);
    expect(back.body.maintenanceWindow).toEqual(body.maintenanceWindow);
  });

  it("a rule makes it recurring, and it can be made a single one again", async () => {
    const { id } = await test.create();
    const daily = await test.call("PUT", `${WINDOWS_PATH}/${id}`, { recurrenceRule: "FREQ=DAILY" });
    expect(daily.body.maintenanceWindow).toMatchObject({ recurring: true, recurrenceRule: "FREQ=DAILY" });
    const single = await test.call("PUT", `${WINDOWS_PATH}/${id}`, { recurring: false });
    expect(single.body.maintenanceWindow).toMatchObject({ recurring: false, recurrenceRule: null });
  });

  it("another team's window is not found, and its checks can't be named", async () => {
    const check = await test.createCheck();
    const { id } = await test.create();
    const other = await test.createTeam();
    for (const [method, body] of [["GET"], ["PUT", { name: "x" }], ["DELETE"]] as const) {
      const answer = await test.call(method, `${WINDOWS_PATH}/${id}`, body, other.byKey);
      expect([answer.status, answer.body]).toEqual([404, { error: "Maintenance window not found" }]);
    }
    const naming = await test.call("POST", WINDOWS_PATH, test.aWindow({ checkIds: [check.id] }), other.byKey);
    expect(naming.status).toBe(400);
    expect((await test.call("GET", `${WINDOWS_PATH}/${newId("check")}`)).status).toBe(404);
  });

  it("a deleted check leaves its windows", async () => {
    const [check, other] = [await test.createCheck(), await test.createCheck()];
    const { id } = await test.create({ checkIds: [check.id, other.id] });
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.get(id)).checkIds).toEqual([other.id]);
  });
});
