import { DAY_MS, HOUR_MS, newId, type TeamId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aRollup } from "../../../test-support/builders.ts";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import { aCheck, aTeam } from "../../../test-support/fleet.ts";
import { hourOf } from "../rollups/buckets.ts";
import { dayOf, ensurePartitions, hourPartitionName, listLeaves, partitionName } from "./partitions.ts";
import { purgeDeletedChecks } from "./purge.ts";
import { retain, rollupsRetainedFrom } from "./retain.ts";

let database: TestDatabase;
const nowMs = Date.now();
const settings = {
  retentionDays: 30,
  rollupRetentionMonths: 13,
  alertRetentionDays: 400,
  incidentRetentionDays: 400,
  historyRetentionDays: 400,
  changeLogBytesMax: 1e9,
};

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

async function aStoredResult(checkKey: number, slotMs: number): Promise<void> {
  await ensurePartitions(database.knex, slotMs, slotMs);
  const key = { checkKey, locationKey: 1, slotMs };
  await database
    .knex("results")
    .insert({ ...key, runnerKey: 1, startDelayMs: 0, elapsedUs: 1, responseTimeUs: 1, status: 1 });
  await database.knex("resultDetails").insert({ ...key, detail: "{}" });
  await database.knex("rollups").insert(aRollup({ bucketSeconds: 3600, bucketMs: slotMs, checkKey }));
}

/** Returns how many tables each worker has of a day's partitions of results and details. */
async function countShardsOnWorkers({ knex }: TestDatabase, dayMs: number): Promise<number[]> {
  const names = [partitionName("results", dayMs), partitionName("result_details", dayMs)];
  const { rows } = await knex.raw<{ rows: { result: string }[] }>(
    "SELECT result FROM run_command_on_workers(?) ORDER BY nodeport",
    [`SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname ~ '^(${names.join("|")})_[0-9]+$'`],
  );
  return rows.map(({ result }) => Number(result));
}

describe("retention", () => {
  test("partitions of the next twelve hours exist, also when made twice at once", async () => {
    await Promise.all([1, 2, 3].map(() => retain(database.knex, nowMs, settings)));
    const names = await listLeaves(database.knex);
    for (let hour = 0; hour <= 12; hour++) {
      const atMs = nowMs + hour * HOUR_MS;
      expect(names).toContain(
        isOnCitus ? partitionName("results", dayOf(atMs)) : hourPartitionName(hourOf(atMs)),
      );
      expect(names).toContain(partitionName("result_details", dayOf(atMs)));
    }
  });

  test.skipIf(isOnCitus)("are listed and made while somebody holds one of them for long", async () => {
    const holder = await database.knex.transaction();
    const name = hourPartitionName(hourOf(nowMs));
    await holder.raw(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
    await database.knex.transaction(async (trx) => {
      await trx.raw("SET LOCAL lock_timeout = '1s'");
      expect(await listLeaves(trx)).toContain(name);
      await ensurePartitions(trx, nowMs - 20 * DAY_MS, nowMs - 20 * DAY_MS);
    });
    await holder.commit();
  });

  test("the oldest day kept is kept whole, the day before it is dropped", async () => {
    const keptMs = dayOf(nowMs) - 30 * DAY_MS;
    await aStoredResult(1, keptMs);
    await aStoredResult(1, keptMs - 1);
    await retain(database.knex, nowMs, settings);
    const slots = await database.knex("results").where({ checkKey: 1 }).select("slotMs");
    expect(slots).toEqual([{ slotMs: keptMs }]);
  });

  test.skipIf(!isOnCitus)(
    "a day that is dropped is gone on each worker, and the kept day is on each (set SVC_TEST_CITUS_URL, see docs/citus.md)",
    async () => {
      const keptMs = dayOf(nowMs) - 30 * DAY_MS;
      for (let checkKey = 101; checkKey <= 140; checkKey++)
        for (const slotMs of [keptMs, keptMs - 1]) await aStoredResult(checkKey, slotMs);
      const onWorkers = () =>
        Promise.all([keptMs, keptMs - DAY_MS].map((dayMs) => countShardsOnWorkers(database, dayMs)));
      const [keptBefore, oldBefore] = await onWorkers();
      expect(keptBefore?.length).toBeGreaterThan(0);
      expect(Math.min(...(keptBefore as number[]))).toBeGreaterThan(0);
      expect(oldBefore).toEqual(keptBefore);

      await retain(database.knex, nowMs, settings);
      expect(await onWorkers()).toEqual([keptBefore, keptBefore?.map(() => 0)]);
    },
  );

  test("rollups outlive their results, and go after their months", async () => {
    const fromMs = rollupsRetainedFrom(nowMs, 13);
    await database.knex("rollups").where({ checkKey: 1 }).delete();
    await aStoredResult(2, fromMs);
    await aStoredResult(2, fromMs - 1);
    await retain(database.knex, nowMs, settings);
    expect(await database.knex("rollups").where({ checkKey: 2 }).select("bucketMs")).toEqual([
      { bucketMs: fromMs },
    ]);
  });

  test.each([
    ["2026-03-31T10:00:00.000Z", 1, "2026-02-28T10:00:00.000Z"],
    ["2026-01-15T00:00:00.000Z", 13, "2024-12-15T00:00:00.000Z"],
  ])("%s minus %i months is %s", (from, months, expected) => {
    expect(new Date(rollupsRetainedFrom(Date.parse(from), months)).toISOString()).toBe(expected);
  });

  test("old dispatches, misses and closed schedules go with the results; schedules in force stay", async () => {
    const team = await aTeam(database.knex);
    const oldMs = nowMs - 40 * DAY_MS;
    const check = await aCheck(database.knex, team, { effectiveFromMs: oldMs });
    const closed = {
      checkKey: check.key,
      frequencySeconds: 60,
      locationKeys: [1],
      enabled: true,
      effectiveFromMs: oldMs,
    };
    await database.knex("checkRevisions").insert([
      { ...closed, revision: 900_001, effectiveUntilMs: oldMs + 1 },
      { ...closed, revision: 900_002, effectiveUntilMs: nowMs },
    ]);
    await database
      .knex("manualRuns")
      .insert({ checkKey: check.key, slotMs: oldMs, locationKeys: [1], reason: "triggered" });
    await database
      .knex("missedSlots")
      .insert({ checkKey: check.key, locationKey: 1, slotMs: oldMs, reason: "unknown" });
    await retain(database.knex, nowMs, settings);
    const revisions = await database
      .knex("checkRevisions")
      .where({ checkKey: check.key })
      .select("effectiveUntilMs");
    expect(revisions.map((row) => row.effectiveUntilMs).sort()).toEqual([nowMs, null]);
    expect(await database.knex("manualRuns").where({ checkKey: check.key })).toEqual([]);
    expect(await database.knex("missedSlots").where({ checkKey: check.key })).toEqual([]);
  });
});

const idsOf = async (table: string, column: string, ids: string[]) =>
  (await database.knex(table).whereIn(column, ids).orderBy(column).select(column)).map((row) => row[column]);

describe("alerts", () => {
  const endMs = nowMs - 400 * DAY_MS;

  async function anInstance(rule: { key: number; checkKey: number }, instance: object): Promise<string> {
    const id = newId("alertInstance");
    const { teamId } = await database.knex("alertRules").where({ key: rule.key }).first("teamId");
    const common = { teamId, severity: "critical", startedAt: new Date(endMs - DAY_MS) };
    await database
      .knex("alertInstances")
      .insert({ id, ...common, ruleKey: rule.key, checkKey: rule.checkKey, context: "{}", ...instance });
    await database.knex("alertEvents").insert({
      id: newId("alertEvent"),
      teamId,
      instanceId: id,
      checkKey: rule.checkKey,
      type: "triggered",
      state: "active",
      severity: "critical",
      createdAt: new Date(endMs - DAY_MS),
    });
    return id;
  }

  async function aRule(more: object = {}): Promise<{ key: number; checkKey: number }> {
    const team = await aTeam(database.knex);
    const check = await aCheck(database.knex, team);
    const rule = { id: newId("alertRule"), teamId: team.id, checkKey: check.key, enabled: true };
    const [row] = await database
      .knex("alertRules")
      .insert({ ...rule, conditions: "[]", channelIds: [], ...more })
      .returning(["key", "checkKey"]);
    return row;
  }

  test("that ended go with their events after their time; what is open stays, however old", async () => {
    const rule = await aRule();
    const ids = [
      await anInstance(rule, { state: "recovered", recoveredAt: new Date(endMs - 1) }),
      await anInstance(rule, { state: "resolved", resolvedAt: new Date(endMs - 1) }),
      await anInstance(rule, { state: "recovered", recoveredAt: new Date(endMs) }),
      await anInstance(rule, { state: "acknowledged" }),
      await anInstance(await aRule(), { state: "active" }),
    ];
    await retain(database.knex, nowMs, settings);
    expect(await idsOf("alertInstances", "id", ids)).toEqual(ids.slice(2));
    expect(await idsOf("alertEvents", "instanceId", ids)).toEqual(ids.slice(2));
  });

  test("a deleted rule goes with its last instance", async () => {
    const deletedAt = new Date(endMs - 1);
    const [gone, named, inUse] = [await aRule({ deletedAt }), await aRule({ deletedAt }), await aRule()];
    await anInstance(named, { state: "resolved", resolvedAt: new Date(endMs) });
    await retain(database.knex, nowMs, settings);
    const keys = [gone.key, named.key, inUse.key];
    expect(await database.knex("alertRules").whereIn("key", keys).orderBy("key").pluck("key")).toEqual(
      keys.slice(1),
    );
  });

  test("a ticket is remembered as long as its alert", async () => {
    const rule = await aRule();
    const open = await anInstance(rule, { state: "active" });
    const ended = await anInstance(rule, { state: "resolved", resolvedAt: new Date(endMs - 1) });
    const { teamId } = await database.knex("alertRules").where({ key: rule.key }).first("teamId");
    const [{ key: channelKey }] = await database
      .knex("notificationChannels")
      .insert({ id: newId("channel"), teamId, name: "tickets", type: "ticketing", config: Buffer.from("x") })
      .returning("key");
    const createdAt = new Date(endMs - DAY_MS);
    await database
      .knex("notificationReferences")
      .insert([open, ended].map((subjectId) => ({ channelKey, subjectId, externalId: "INC1", createdAt })));
    await retain(database.knex, nowMs, settings);
    expect(await idsOf("notificationReferences", "subjectId", [open, ended])).toEqual([open]);
  });
});

describe("incidents", () => {
  const endMs = nowMs - 400 * DAY_MS;

  async function anIncident(teamId: TeamId, incident: object): Promise<string> {
    const { knex } = database;
    const id = newId("incident");
    const openedAt = new Date(endMs - DAY_MS);
    const [{ key: incidentKey }] = await knex("incidents")
      .insert({
        id,
        teamId,
        title: "Down",
        severity: "critical",
        dimensions: [],
        fingerprintHash: "",
        openedAt,
        hypothesis: "{}",
        observations: "{}",
        memberCount: 1,
        openMemberCount: 0,
        ...incident,
      })
      .returning("key");
    await knex("incidentMembers").insert({
      ...{
        instanceId: `ainst_${id}`,
        incidentKey,
        position: 1,
        ruleId: "",
        checkId: "",
        severity: "critical",
      },
      startedAt: openedAt,
      channelIds: [],
      dimensions: [],
      facts: "{}",
    });
    const event = { id: newId("incidentEvent"), teamId, incidentKey, type: "opened", payload: "{}" };
    await knex("incidentEvents").insert({ ...event, createdAt: openedAt });
    const note = { id: newId("incidentNote"), incidentKey, body: "n", authorId: "u", createdAt: openedAt };
    await knex("incidentNotes").insert(note);
    return id;
  }

  test("that ended go with all they have after their time; what is open, or has an open alert, stays", async () => {
    const { knex } = database;
    const { id: teamId } = await aTeam(knex);
    const before = new Date(endMs - 1);
    const ids = [
      await anIncident(teamId, { state: "resolved", resolvedAt: before }),
      await anIncident(teamId, { state: "closed", resolvedAt: before, closedAt: before }),
      await anIncident(teamId, { state: "closed", resolvedAt: before, closedAt: new Date(endMs) }),
      await anIncident(teamId, { state: "closed", closedAt: before, openMemberCount: 1 }),
      await anIncident(teamId, { state: "acknowledged" }),
    ];
    const [{ key: channelKey }] = await knex("notificationChannels")
      .insert({ id: newId("channel"), teamId, name: "tickets", type: "ticketing", config: Buffer.from("x") })
      .returning("key");
    await knex("notificationReferences").insert(
      ids.map((subjectId) => ({ channelKey, subjectId, externalId: "INC1", createdAt: before })),
    );
    await retain(knex, nowMs, settings);
    const kept = await knex("incidents").where({ teamId }).orderBy("key").select("id", "key");
    expect(kept.map(({ id }) => id)).toEqual(ids.slice(2));
    const keys = kept.map(({ key }) => key);
    for (const table of ["incidentMembers", "incidentEvents", "incidentNotes"])
      expect(await knex(table).orderBy("incidentKey").select("incidentKey")).toEqual(
        keys.map((incidentKey) => ({ incidentKey })),
      );
    expect(await idsOf("notificationReferences", "subjectId", ids)).toEqual(ids.slice(2));
  });
});

test("a deleted check's results, evidence and rollups are removed, and no other's", async () => {
  await aStoredResult(71, nowMs);
  await aStoredResult(72, nowMs);
  await database.knex("checkDeletions").insert({ checkKey: 71 });
  await purgeDeletedChecks(database.knex, { settle: "0 seconds", keptForExport: "30 days" });
  for (const table of ["results", "resultDetails", "rollups"]) {
    const keys = await database.knex(table).whereIn("checkKey", [71, 72]).distinct("checkKey");
    expect(keys).toEqual([{ checkKey: 72 }]);
  }
  const [deletion] = await database.knex("checkDeletions").where({ checkKey: 71 });
  expect(deletion.purgedAt).not.toBeNull();
});
