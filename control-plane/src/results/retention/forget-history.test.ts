import { DAY_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { aTeam } from "../../../test-support/fleet.ts";
import { idleRevisions, type PastRevision } from "./compact-revisions.ts";
import { retain } from "./retain.ts";

const nowMs = Date.now();
const settings = {
  retentionDays: 30,
  rollupRetentionMonths: 13,
  alertRetentionDays: 400,
  incidentRetentionDays: 400,
  historyRetentionDays: 100,
  changeLogBytesMax: 3_000,
};
const daysAgo = (days: number) => new Date(nowMs - days * DAY_MS);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** Runs retention and returns which of the two named rows are left. */
async function leftOf(table: string, column = "id"): Promise<unknown[]> {
  await retain(database.knex, nowMs, settings);
  return database.knex(table).whereIn(column, ["old", "new"]).orderBy(column).pluck(column);
}

describe("history", () => {
  test("of changes goes after its time", async () => {
    const { id: teamId } = await aTeam(database.knex);
    const change = { teamId, action: "created", type: "check", resourceId: "chk_a", source: "api" };
    await database.knex("changes").insert([
      { ...change, id: "old", createdAt: daysAgo(101) },
      { ...change, id: "new", createdAt: daysAgo(99) },
    ]);
    expect(await leftOf("changes")).toEqual(["new"]);
  });

  test("of changes goes when newer entries of the team have its bytes, the oldest first", async () => {
    const { knex } = database;
    const [long, short] = [await aTeam(knex), await aTeam(knex)];
    const insert = (teamId: string, name: string, value: string) =>
      knex("changes").insert({
        teamId,
        name,
        id: newId("change"),
        action: "updated",
        type: "check",
        resourceId: "chk_a",
        source: "api",
        changedFields: JSON.stringify([{ field: "url", oldValue: null, newValue: value }]),
        createdAt: daysAgo(1),
      });
    for (const name of ["1", "2", "3", "4"]) await insert(long.id, name, "x".repeat(1_500));
    await insert(short.id, "alone", "x".repeat(9_000));
    await retain(knex, nowMs, settings);
    await retain(knex, nowMs, settings);
    expect(await knex("changes").where({ teamId: long.id }).orderBy("key").pluck("name")).toEqual(["3", "4"]);
    expect(await knex("changes").where({ teamId: short.id }).pluck("name")).toEqual(["alone"]);
  });

  test("of deployments goes after its time", async () => {
    const { id: teamId } = await aTeam(database.knex);
    const marker = { teamId, service: "shop", version: "1" };
    await database.knex("deployments").insert([
      { ...marker, id: "old", createdAt: daysAgo(101) },
      { ...marker, id: "new", createdAt: daysAgo(99) },
    ]);
    expect(await leftOf("deployments")).toEqual(["new"]);
  });

  test("of deleted windows goes when no SLO looks so far back; a window that never held goes after a day", async () => {
    const { knex } = database;
    const { id: teamId } = await aTeam(knex);
    const aWindow = async (name: string, deletedAt: Date | null, heldUntil: Date | undefined) => {
      const [{ key: windowKey }] = await knex("maintenanceWindows")
        .insert({
          id: newId("maintenanceWindow"),
          teamId,
          name,
          mode: "continue",
          isForAllChecks: true,
          startsAt: daysAgo(200),
          endsAt: daysAgo(199),
          timezone: "UTC",
          expandedUntil: daysAgo(0),
          deletedAt,
        })
        .returning("key");
      const startsAt = daysAgo(300);
      if (heldUntil) await knex("maintenanceOccurrences").insert({ windowKey, startsAt, endsAt: heldUntil });
    };
    await aWindow("never held", daysAgo(2), undefined);
    await aWindow("just deleted", daysAgo(0.5), undefined);
    await aWindow("held long ago", daysAgo(2), daysAgo(62));
    await aWindow("held of late", daysAgo(2), daysAgo(60));
    await aWindow("living", null, daysAgo(62));
    await retain(knex, nowMs, settings);
    expect(await knex("maintenanceWindows").where({ teamId }).orderBy("key").pluck("name")).toEqual([
      "just deleted",
      "held of late",
      "living",
    ]);
  });

  test("a deleted location goes once no check's history names it", async () => {
    const { knex } = database;
    const { id: teamId } = await aTeam(knex);
    const aLocation = async (name: string, deletedAt: Date | null) => {
      const [{ key }] = await knex("locations")
        .insert({
          id: newId("location"),
          teamId,
          name,
          displayName: name,
          region: "private",
          type: "private",
          deletedAt,
        })
        .returning("key");
      return key as number;
    };
    await aLocation("unused", daysAgo(2));
    await aLocation("just deleted", daysAgo(0.5));
    await aLocation("living", null);
    const named = await aLocation("named", daysAgo(2));
    const [{ key: checkKey }] = await knex("checks")
      .insert({
        id: newId("check"),
        teamId,
        name: "a",
        type: "http",
        config: {},
        frequencySeconds: 60,
        locationIds: [],
        enabled: true,
        revision: 1,
      })
      .returning("key");
    await knex("checkRevisions").insert({
      checkKey,
      revision: 1,
      frequencySeconds: 60,
      locationKeys: [named],
      enabled: true,
      effectiveFromMs: 0,
    });
    await retain(knex, nowMs, settings);
    expect(
      await knex("locations")
        .where({ teamId })
        .where("name", "not like", "loc_%")
        .orderBy("key")
        .pluck("name"),
    ).toEqual(["just deleted", "living", "named"]);
  });

  test("expired sessions, links and device codes go", async () => {
    const { knex } = database;
    const { id: teamId } = await aTeam(knex);
    const userId = newId("user");
    await knex("users").insert({ id: userId, email: `${userId}@example.org` });
    const owner = { userId, teamId };
    await knex("sessions").insert([
      { ...owner, tokenHash: Buffer.from("a"), expiresAt: daysAgo(1) },
      { ...owner, tokenHash: Buffer.from("b"), expiresAt: daysAgo(-1) },
    ]);
    await knex("signInLinks").insert({ ...owner, tokenHash: Buffer.from("a"), expiresAt: daysAgo(2) });
    await knex("deviceCodes").insert({
      deviceCodeHash: Buffer.from("a"),
      userCode: "A",
      clientName: "a",
      createdAt: daysAgo(3),
      expiresAt: daysAgo(2),
    });
    await retain(knex, nowMs, settings);
    expect(await knex("sessions").where({ userId }).select("tokenHash")).toEqual([
      { tokenHash: Buffer.from("b") },
    ]);
    expect(await knex("signInLinks").where({ userId })).toEqual([]);
    expect(await knex("deviceCodes")).toEqual([]);
  });
});

describe("schedule revisions", () => {
  const CHECK_ID = newId("check");
  const revision = (
    number: number,
    fromMs: number,
    untilMs: number | null,
    more: Partial<PastRevision> = {},
  ) => ({
    revision: number,
    frequencySeconds: 60,
    locationKeys: [1, 2],
    enabled: true,
    effectiveFromMs: fromMs,
    effectiveUntilMs: untilMs,
    ...more,
  });
  const current = revision(9, 900_000, null);
  const idleAmong = (...revisions: PastRevision[]) =>
    idleRevisions(CHECK_ID, [current, ...revisions], { named: new Set(), settledBeforeMs: 800_000 });

  test.each<[string, PastRevision, boolean]>([
    ["of a whole period", revision(1, 0, 60_000), false],
    ["of one instant", revision(1, 60_000, 60_000), true],
    ["that was switched off", revision(1, 0, 600_000, { enabled: false }), true],
    ["that ended just now", revision(1, 0, 850_000, { enabled: false }), false],
    ["that alone names a location", revision(1, 0, 600_000, { enabled: false, locationKeys: [3] }), false],
  ])("one %s: is it idle?", (_title, past, isIdle) => {
    expect(idleAmong(past)).toEqual(isIdle ? [1] : []);
  });

  test("each slot at each location lies in a revision that stays", () => {
    const pieces = Array.from({ length: 60 }, (_, n) =>
      revision(n + 1, n * 1_000, (n + 1) * 1_000),
    ).reverse();
    const idle = new Set(idleAmong(...pieces));
    // One slot, run at two locations half a period apart.
    expect(pieces.filter((piece) => !idle.has(piece.revision))).toHaveLength(2);
  });

  test("of a check that is switched on and off all day come down to those that are needed", async () => {
    const { knex } = database;
    const { id: teamId } = await aTeam(knex);
    const [{ key: checkKey }] = await knex("checks")
      .insert({
        id: newId("check"),
        teamId,
        name: "a",
        type: "http",
        config: {},
        frequencySeconds: 60,
        locationIds: [],
        enabled: true,
        revision: 1,
      })
      .returning("key");
    const beginMs = nowMs - DAY_MS;
    await knex.raw(
      `INSERT INTO check_revisions (check_key, revision, frequency_seconds, location_keys, enabled, effective_from_ms, effective_until_ms)
       SELECT :checkKey, n, 60, '{1}', n % 2 = 0, :beginMs::bigint + n * 100, CASE WHEN n < 12000 THEN :beginMs::bigint + (n + 1) * 100 END
       FROM generate_series(1, 12000) n`.replaceAll(":beginMs::bigint", "CAST(:beginMs AS bigint)"),
      { checkKey, beginMs },
    );
    await retain(knex, nowMs, settings);
    const left = await knex("checkRevisions").where({ checkKey }).select("revision");
    // 20 minutes hold 20 slots, of which about half fell into a revision that was switched on; and the current one.
    expect(left.length).toBeLessThanOrEqual(21);
  });
});
