/** The model of what the jobs that switch maintenance windows and end mutes read and write. */
import type { AlertRuleId } from "@svc/contract";
import { notificationOf } from "../../control-plane/src/alerting/instances/instance-notification.ts";
import type { MuteStore } from "../../control-plane/src/alerting/instances/mute-store.ts";
import type { InstanceDetailRow } from "../../control-plane/src/alerting/instances/row.ts";
import type { WindowSwitchStore } from "../../control-plane/src/checks/maintenance/switch-store.ts";
import type { Database } from "./database.ts";
import { checkLockName } from "./evaluation-model.ts";
import { enqueueIn } from "./notification-model.ts";
import { NO_PLANTED_FAULTS, type PlantedFaults } from "./planted-faults.ts";
import { reviseCheck } from "./revisions.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { InstanceRecord, Tables } from "./tables.ts";
import { checksInMaintenance, holds } from "./windows-in-force.ts";

/** The database, its tables, and the process that uses them. */
export interface WindowModelParts {
  database: Database;
  tables: Tables;
  process: SimulatedProcess;
  faults?: PlantedFaults;
  /** Called when a check is paused or resumed. */
  onPause?: () => void;
}

/** Returns the tables of the job that switches windows, for one replica. Starts and ends of windows are not recorded. */
export function modelWindowSwitchStore(parts: WindowModelParts): WindowSwitchStore {
  const { database, tables, process, faults = NO_PLANTED_FAULTS } = parts;
  const isHeld = (checkKey: number, atMs: number) =>
    [...tables.windows.values()].some((window) => window.mode === "pause" && holds(window, checkKey, atMs));
  const find = (isWanted: (check: { key: number; paused: boolean }) => boolean, limit: number) =>
    database.read(process, () =>
      [...tables.checks.values()]
        .filter(isWanted)
        .map(({ key }) => key)
        .slice(0, limit),
    );
  return {
    findChecksToPause: (nowMs, limit) => find(({ key, paused }) => !paused && isHeld(key, nowMs), limit),
    findChecksToResume: (nowMs, limit) =>
      find(({ key, paused }) => paused && !faults.pausesNeverEnd && !isHeld(key, nowMs), limit),
    setPaused: ({ keys, paused, nowMs }) =>
      database
        .write(
          process,
          (xid) => {
            for (const key of keys) {
              const check = tables.checks.get(key);
              if (!check) continue;
              const before = check.changedXid;
              if (reviseCheck(check, { paused }, { atMs: nowMs, xid })) parts.onPause?.();
              if (faults.pauseUnheard && paused) check.changedXid = before;
            }
          },
          { isWaking: () => true },
        )
        .then(() => undefined),
    recordStartsAndEnds: async () => [],
  };
}

/** Returns the tables of the job that ends mutes, for one replica. */
export function modelMuteStore(parts: WindowModelParts): MuteStore {
  const { database, tables, process, faults = NO_PLANTED_FAULTS } = parts;
  const isOver = ({ state, mutedBy }: InstanceRecord) =>
    state === "active" && mutedBy === "window" && !faults.mutesNeverEnd;
  return {
    readMutedInstances: ({ limit }) =>
      database.read(process, () =>
        [...tables.instances.values()]
          .filter(isOver)
          .slice(0, limit)
          .map((one) => detailOf(one, tables)),
      ),
    findChecksInMaintenance: (checks, atMs) =>
      checks.length === 0
        ? Promise.resolve(new Set())
        : database.read(process, () => checksInMaintenance(tables, checks, atMs)),
    transaction: (work) =>
      database.transaction(process, (trx) =>
        work({
          lockSubjects: (subjects) =>
            trx.lock(subjects.flatMap(({ checkKey }) => checkLockName(checkKey ?? 0))),
          findInstance: (_teamId, id) =>
            trx.read(() => {
              const found = tables.instances.get(id);
              return found && detailOf(found, tables);
            }),
          changeInstance: ({ instance, patch }) =>
            trx.write(() => {
              const { mutedUntil: _, acknowledgedAt: _at, acknowledgedBy: _by, ...columns } = patch;
              Object.assign(tables.instances.get(instance.id) ?? {}, columns);
            }),
          // No alert of these histories is held back.
          queueHeldInstance: () => Promise.resolve(),
          notifyChannels: ({ instance, kind, atMs }) =>
            trx.write(() => {
              const { ruleId: id, ruleName: name, teamId, channelIds } = instance;
              const check = tables.checks.get(instance.checkKey ?? 0);
              enqueueIn({ database, tables }, [
                notificationOf({
                  kind,
                  check: check ? { id: check.id, name: check.name, type: "http", targetUrl: null } : null,
                  atMs,
                  rule: { id, name, teamId, channelIds },
                  instance: { ...instance, startedAtMs: Date.parse(instance.startedAt) },
                }),
              ]);
            }),
        }),
      ),
  };
}

function detailOf(instance: InstanceRecord, { checks, rules }: Tables): InstanceDetailRow {
  const check = checks.get(instance.checkKey);
  const rule = rules.find(({ key }) => key === instance.ruleKey);
  const { startedAtMs, recoveredAtMs, ...columns } = instance;
  return {
    ...columns,
    ruleId: `alert_${instance.ruleKey}` as AlertRuleId,
    ruleName: `rule ${instance.ruleKey}`,
    checkId: check?.id ?? null,
    checkName: check?.name ?? null,
    sloKey: null,
    channelIds: rule?.channelIds ?? [],
    startedAt: new Date(startedAtMs).toISOString(),
    recoveredAt: recoveredAtMs === null ? null : new Date(recoveredAtMs).toISOString(),
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedByName: null,
    resolvedAt: null,
    mutedUntil: null,
    notificationCount: 0,
    heldReason: null,
    heldCauseId: null,
    heldFreeSince: null,
    heldCheckId: null,
    heldCheckName: null,
    heldLocationId: null,
    heldLocationNames: [],
    heldIncidentId: null,
  };
}
