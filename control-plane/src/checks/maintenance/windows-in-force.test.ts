import { type CheckId, DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  applyWindows,
  createMaintenanceTest,
  type MaintenanceTest,
  WINDOWS_PATH,
} from "../../../test-support/maintenance-test.ts";
import { openPool } from "../../platform/db/pool.ts";
import { activeWindowsFor } from "./held-store.ts";

let test: MaintenanceTest;
beforeAll(async () => {
  test = await createMaintenanceTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("what holds for a check", () => {
  it("is each window that names it or all, from its first millisecond to before its last", async () => {
    const [check, other] = [await test.createCheck(), await test.createCheck()];
    const one = await test.create({ name: "one", mode: "continue", checkIds: [check.id] });
    const all = await test.create({ name: "all", endsAt: test.inMs(90 * MINUTE_MS) });
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

describe("starts and ends", () => {
  it("each is recorded once, whoever looks and however often", async () => {
    await test.create();
    expect(await test.look()).toEqual([]);
    test.clock.advance(HOUR_MS);
    const replica = openPool(test.database.url, { poolMax: 4 });
    const seen: string[] = [];
    const both = () =>
      Promise.all(
        [test.services.knex, replica].map(async (knex) => {
          const events = await applyWindows({ ...test.services, knex });
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
    const window = await test.create();
    test.clock.advance(DAY_MS);
    expect(await test.look()).toEqual(["Upgrade started", "Upgrade ended"]);
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
    await test.create({ recurring: true, recurrenceRule: "FREQ=DAILY;COUNT=2" });
    const seen: string[] = [];
    for (let i = 0; i < 4 * 24; i++) {
      test.clock.advance(HOUR_MS);
      seen.push(...(await test.look()));
    }
    expect(seen).toEqual(["Upgrade started", "Upgrade ended", "Upgrade started", "Upgrade ended"]);
  });

  it("a window that is deleted while it holds ends then", async () => {
    const { id } = await test.create();
    test.clock.advance(HOUR_MS + MINUTE_MS);
    await test.look();
    await test.call("DELETE", `${WINDOWS_PATH}/${id}`);
    expect(await test.look()).toEqual(["Upgrade ended"]);
    const [ended] = await test.services.knex("maintenanceEvents").where({ windowId: id, type: "ended" });
    expect(ended.createdAt).toBe(new Date(test.clock.nowMs()).toISOString());
    test.clock.advance(DAY_MS);
    expect(await test.look()).toEqual([]);
  });
});
