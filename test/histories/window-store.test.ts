/** The tables of maintenance windows, in PostgreSQL and in the model of histories. */
import { type ChannelId, newId } from "@svc/contract";
import { insertInstances } from "../../control-plane/src/alerting/instances/instance-writes.ts";
import { postgresMuteStore } from "../../control-plane/src/alerting/instances/mute-store.ts";
import { postgresWindowSwitchStore } from "../../control-plane/src/checks/maintenance/switch-store.ts";
import { createAlertTest } from "../../control-plane/test-support/alerting.ts";
import { aTables } from "./a-tables.ts";
import { Database } from "./database.ts";
import { drive } from "./drive.ts";
import { Random } from "./random.ts";
import { ruleOf } from "./rules.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { InstanceRecord } from "./tables.ts";
import { modelMuteStore, modelWindowSwitchStore } from "./window-model.ts";
import { describeWindowStore } from "./window-store.contract.ts";

/** An open alert that a window mutes. */
const MUTED = {
  state: "active",
  severity: "critical",
  triggeringResultId: null,
  triggeringTraceId: null,
  recoveredAtMs: null,
  recoveryResultId: null,
  wasAnnounced: false,
  mutedBy: "window",
  isHeld: false,
  heldAtKeys: [],
  beganMuted: true,
  hasUnannouncedEscalation: false,
  context: { summary: "it fails", conditions: [], locations: [] },
} as const satisfies Partial<InstanceRecord>;

describeWindowStore("a history", async () => {
  const scheduler = new Scheduler(new Random(1));
  const database = new Database(scheduler, new Random(2));
  const { tables, check } = aTables();
  const { teamId } = check;
  tables.checks.set(2, { ...structuredClone(check), key: 2, id: "chk_2" as typeof check.id });
  tables.channels.push({ key: 1, id: "nch_1" as ChannelId, teamId });
  tables.rules.push({
    ...ruleOf({ check: 0, failures: 1, successes: 1, channels: [0] }),
    key: 1,
    changedXid: 1,
  });
  const parts = { database, tables, process: new SimulatedProcess(scheduler, "replica") };
  return {
    windows: modelWindowSwitchStore(parts),
    mutes: modelMuteStore(parts),
    checkKeys: [1, 2],
    nowMs: () => database.nowMs,
    settle: (work) => drive(scheduler, work),
    addWindow: async ({ mode, checkKeys, fromMs, untilMs }) => {
      const key = tables.windows.size + 1;
      const occurrences = [{ startsAtMs: fromMs, endsAtMs: untilMs }];
      tables.windows.set(key, { key, mode, checkKeys, occurrences });
    },
    removeWindows: async () => tables.windows.clear(),
    schedule: async (checkKey) =>
      (tables.checks.get(checkKey)?.revisions ?? []).map((one) => ({
        enabled: one.enabled,
        fromMs: one.effectiveFromMs,
        untilMs: one.effectiveUntilMs,
      })),
    addMutedAlert: async () => {
      const id = newId("alertInstance");
      // A rule has one open alert at most.
      tables.instances.clear();
      tables.instances.set(id, {
        ...MUTED,
        id,
        teamId,
        ruleKey: 1,
        checkKey: 1,
        startedAtMs: database.nowMs,
      });
      return id;
    },
    notifications: async (instanceId) =>
      tables.outbox.filter(({ subjectId }) => subjectId === instanceId).map(({ kind }) => kind),
    close: async () => undefined,
  };
});

describeWindowStore("PostgreSQL", async () => {
  const test = await createAlertTest();
  const { knex, clock } = test.services;
  const { teamId } = test.team;
  const [first, second] = [await test.newCheck(), await test.newCheck()];
  const ruleId = await test.newRule(first, { conditions: [{ type: "consecutive_failures", count: 1 }] });
  const { key: ruleKey } = await knex("alertRules").where({ id: ruleId }).first("key");
  let count = 0;
  return {
    windows: postgresWindowSwitchStore(knex),
    mutes: postgresMuteStore(knex),
    checkKeys: [first.key, second.key],
    nowMs: () => clock.nowMs(),
    settle: (work) => work,
    addWindow: async ({ mode, checkKeys, fromMs, untilMs }) => {
      const [startsAt, endsAt] = [new Date(fromMs), new Date(untilMs)];
      const name = `window ${++count}`;
      const times = { startsAt, endsAt, timezone: "UTC", expandedUntil: endsAt };
      const [{ key: windowKey }] = await knex("maintenanceWindows")
        .insert({
          id: newId("maintenanceWindow"),
          teamId,
          name,
          mode,
          isForAllChecks: checkKeys === null,
          ...times,
        })
        .returning("key");
      await knex("maintenanceOccurrences").insert({ windowKey, startsAt, endsAt });
      for (const checkKey of checkKeys ?? [])
        await knex("maintenanceWindowChecks").insert({ windowKey, checkKey });
    },
    removeWindows: async () => {
      await knex("maintenanceWindows").delete();
    },
    schedule: (checkKey) =>
      knex("checkRevisions")
        .where({ checkKey })
        .orderBy("revision")
        .select({ enabled: "enabled", fromMs: "effectiveFromMs", untilMs: "effectiveUntilMs" }),
    addMutedAlert: async () => {
      const id = newId("alertInstance");
      await knex("alertInstances").delete();
      const keys = { id, teamId, ruleKey, checkKey: first.key };
      await insertInstances(knex, [{ ...MUTED, ...keys, startedAtMs: clock.nowMs() }]);
      return id;
    },
    notifications: async (subjectId) =>
      (await knex("notifications").where({ subjectId })).map(({ kind }) => kind),
    close: () => test.close(),
  };
});
