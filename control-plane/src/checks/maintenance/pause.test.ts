import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createMaintenanceTest,
  type MaintenanceTest,
  WINDOWS_PATH,
} from "../../../test-support/maintenance-test.ts";
import { readChangedChecks } from "../../fleet/fleet-store.ts";

let test: MaintenanceTest;
beforeAll(async () => {
  test = await createMaintenanceTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("pause mode", () => {
  it("the check's schedule stops with the window and goes on after it; the check itself is unchanged", async () => {
    const check = await test.createCheck({ frequencySeconds: 60 });
    await test.create();
    await test.look();
    expect(await test.rowOf(check)).toMatchObject({ paused: false });
    test.clock.advance(HOUR_MS);
    const startedAtMs = test.clock.nowMs();
    await test.look();
    await test.look();
    expect(await test.rowOf(check)).toMatchObject({ enabled: true, paused: true, updatedAt: null });
    test.clock.advance(HOUR_MS);
    const endedAtMs = test.clock.nowMs();
    await test.look();
    expect(await test.schedulesOf(check)).toMatchObject([
      { enabled: true, effectiveUntilMs: startedAtMs },
      { enabled: false, effectiveFromMs: startedAtMs, effectiveUntilMs: endedAtMs },
      { enabled: true, effectiveFromMs: endedAtMs, effectiveUntilMs: null },
    ]);
    const row = await test.rowOf(check);
    expect(row).toMatchObject({ enabled: true, paused: false });
    expect(row.revision).toBe((await test.schedulesOf(check)).at(-1)?.revision);
  });

  it("the fleet sees a paused check as one that is off, and coverage expects nothing of it", async () => {
    const check = await test.createCheck({ frequencySeconds: 60 });
    await test.create({ endsAt: test.inMs(20 * HOUR_MS) });
    test.clock.advance(HOUR_MS);
    await test.look();
    const seen = (await readChangedChecks(test.services.knex, "0")).find((one) => one.id === check.id);
    expect(seen).toMatchObject({ enabled: false });
    expect((await test.schedulesOf(check)).at(-1)).toMatchObject({ enabled: false });
    const expected = async () =>
      (await test.call("GET", `/api/checks/${check.id}/coverage?range=24h`)).body.locations[0].expected;
    test.clock.advance(HOUR_MS);
    const before = await expected();
    test.clock.advance(10 * HOUR_MS);
    expect(await expected()).toBe(before);
  });

  it("what is changed meanwhile holds afterwards; a check that is off stays off", async () => {
    const [changed, switchedOff] = [
      await test.createCheck({ frequencySeconds: 60 }),
      await test.createCheck(),
    ];
    await test.create();
    test.clock.advance(HOUR_MS);
    await test.look();
    await test.call("PUT", `/api/checks/${changed.id}`, { frequencySeconds: 30 });
    await test.call("PUT", `/api/checks/${switchedOff.id}`, { enabled: false });
    expect((await test.schedulesOf(changed)).at(-1)).toMatchObject({ enabled: false });
    test.clock.advance(HOUR_MS);
    await test.look();
    expect((await test.schedulesOf(changed)).at(-1)).toMatchObject({ enabled: true });
    expect((await test.schedulesOf(switchedOff)).at(-1)).toMatchObject({ enabled: false });
  });

  it("a check that is created meanwhile is paused, too, when the window is for all", async () => {
    await test.create();
    test.clock.advance(HOUR_MS);
    await test.look();
    const check = await test.createCheck();
    await test.look();
    expect(await test.rowOf(check)).toMatchObject({ paused: true });
  });

  it("two windows that overlap: it goes on when the last one ends", async () => {
    const check = await test.createCheck();
    await test.create({ name: "one" });
    await test.create({ name: "two", startsAt: test.inMs(90 * MINUTE_MS), endsAt: test.inMs(3 * HOUR_MS) });
    for (const [ms, paused] of [
      [HOUR_MS, true],
      [HOUR_MS, true],
      [HOUR_MS, false],
    ] as const) {
      test.clock.advance(ms);
      await test.look();
      expect(await test.rowOf(check)).toMatchObject({ paused });
    }
  });

  it.each([
    ["deleted", (id: string) => test.call("DELETE", `${WINDOWS_PATH}/${id}`)],
    ["changed to continue", (id: string) => test.call("PUT", `${WINDOWS_PATH}/${id}`, { mode: "continue" })],
    [
      "moved",
      (id: string) =>
        test.call("PUT", `${WINDOWS_PATH}/${id}`, {
          startsAt: test.inMs(DAY_MS),
          endsAt: test.inMs(2 * DAY_MS),
        }),
    ],
    ["shortened", (id: string) => test.call("PUT", `${WINDOWS_PATH}/${id}`, { endsAt: test.inMs(-1) })],
  ])("a window that is %s while it holds lets its checks go", async (_title, change) => {
    const check = await test.createCheck();
    const { id } = await test.create();
    test.clock.advance(HOUR_MS + MINUTE_MS);
    await test.look();
    expect(await test.rowOf(check)).toMatchObject({ paused: true });
    expect((await change(id)).status).toBe(200);
    await test.look();
    expect(await test.rowOf(check)).toMatchObject({ paused: false });
  });

  it("checks of another team, and those that it does not name, run on", async () => {
    const [named, other] = [await test.createCheck(), await test.createCheck()];
    const team = test.team;
    test.team = await test.createTeam();
    const foreign = await test.createCheck();
    test.team = team;
    await test.create({ checkIds: [named.id] });
    test.clock.advance(HOUR_MS);
    await test.look();
    const paused = await Promise.all(
      [named, other, foreign].map(async (check) => (await test.rowOf(check)).paused),
    );
    expect(paused).toEqual([true, false, false]);
  });
});

describe("continue mode", () => {
  it("checks run on", async () => {
    const check = await test.createCheck();
    await test.create({ mode: "continue" });
    test.clock.advance(HOUR_MS);
    expect(await test.look()).toEqual(["Upgrade started"]);
    expect(await test.rowOf(check)).toMatchObject({ paused: false });
    expect(await test.schedulesOf(check)).toHaveLength(1);
  });
});
