/** The model of the tables that an evaluation reads and writes, in the transaction that stores the results. */
import type { AlertRuleId } from "@svc/contract";
import type { CheckToJudge } from "../../control-plane/src/alerting/evaluation/check-store.ts";
import type { EvaluationStore } from "../../control-plane/src/alerting/evaluation/evaluation-store.ts";
import type { OpenInstance } from "../../control-plane/src/alerting/evaluation/transitions.ts";
import { isSuccess } from "../../control-plane/src/alerting/inputs/judged-result.ts";
import type {
  CheckLocationToRead,
  ResultOfCheck,
} from "../../control-plane/src/alerting/inputs/result-store.ts";
import type { InstanceRow } from "../../control-plane/src/alerting/instances/instance-writes.ts";
import type { ChangedRule } from "../../control-plane/src/alerting/rules/evaluation-store.ts";
import type { Database } from "./database.ts";
import type { StoredInTransaction } from "./ingest-model.ts";
import { enqueueIn } from "./notification-model.ts";
import { NO_PLANTED_FAULTS, type PlantedFaults } from "./planted-faults.ts";
import type { CheckRecord, InstanceRecord, ResultRow, RuleRecord, Tables } from "./tables.ts";
import { checksInMaintenance } from "./windows-in-force.ts";

/** Number of locks that checks share, as in the product. */
const LOCK_COUNT = 128;

/** Returns the name of the lock under which a check is judged. */
export function checkLockName(checkKey: number): string {
  return `check ${checkKey % LOCK_COUNT}`;
}

/** The database, its tables, and the transaction under way. */
export interface EvaluationModelParts {
  database: Database;
  tables: Tables;
  stored: StoredInTransaction;
  faults?: PlantedFaults;
  /** Called when what is written can't be, as a unique index of the database would find. */
  onViolation?: (violation: string) => void;
}

/** Returns the tables of one transaction. */
export function modelEvaluationStore(parts: EvaluationModelParts): EvaluationStore {
  const { database, tables, stored, faults = NO_PLANTED_FAULTS } = parts;
  const { trx, results: own } = stored;
  const store: EvaluationStore = {
    savepoint: (work) => trx.savepoint(() => work(store)),
    lockChecks: (checkKeys) =>
      trx.lock(faults.evaluationWithoutLock ? [] : Array.from(checkKeys, checkLockName)),
    readRuleChanges: (since, checkKeys) =>
      trx.read(() => {
        for (const result of own) result.ruleKeys = ruleKeysOf(tables, result);
        return {
          horizon: String(faults.rulesWithoutHorizon ? database.nextXid : database.horizon),
          rules: tables.rules
            .filter(({ changedXid }) => changedXid >= Number(since))
            .map((rule) => changedRuleOf(rule, tables)),
          checksInProgress: checkKeys.filter((key) => openInstances(tables, key).length > 0),
        };
      }),
    readChecksToJudge: (checkKeys) =>
      trx.read(() => {
        for (const result of own) result.isCheckOn = tables.checks.get(result.checkKey)?.enabled ?? false;
        return checkKeys.flatMap((key) => {
          const other = tables.judging.get(key);
          if (other && other !== trx && !other.isOver)
            parts.onViolation?.(`check ${key} was judged by two transactions at a time`);
          tables.judging.set(key, trx);
          const check = tables.checks.get(key);
          return check ? [checkToJudge(check, tables)] : [];
        });
      }),
    readNewestResults: (locations, { onlySuccesses }) => {
      if (locations.length === 0) return Promise.resolve([]);
      return trx.read(() => {
        for (const result of own) result.knownResults = tables.results.size;
        const known = [...tables.results.values(), ...own].filter((row) => !onlySuccesses || isSuccess(row));
        return locations.flatMap((location) => newestAt(known, location));
      });
    },
    loadInputs: (kind) => Promise.reject(new Error(`no rule of a history asks for ${kind}`)),
    findChecksInMaintenance: (checks, atMs) =>
      checks.length === 0 || faults.windowsUnread
        ? Promise.resolve(new Set())
        : trx.read(() => checksInMaintenance(tables, checks, atMs)),
    findCutOff: async () => new Set(),
    readConfirmingRuns: async () => () => {
      throw new Error("no rule of a history asks for confirmation");
    },
    updateInstances: async (rows) => {
      if (rows.length > 0) await trx.write(() => updateInstances(tables, rows));
    },
    insertInstances: async (rows) => {
      if (rows.length > 0) await trx.write(() => insertInstances(parts, rows));
    },
    insertAlertEvents: async () => undefined,
    deleteConfirmations: async () => undefined,
    dispatchConfirmations: async (wanted) => {
      if (wanted.length > 0) throw new Error("no rule of a history asks for confirmation");
    },
    queueHeldAlerts: async (notifications) => {
      if (notifications.length > 0) throw new Error("no location of a history is cut off");
    },
    reportAlerts: async (notifications) => {
      if (notifications.length > 0) await trx.write(() => enqueueIn({ database, tables }, notifications));
    },
  };
  return store;
}

/** Returns the keys of the rules of a result's check. */
function ruleKeysOf({ rules }: Tables, { checkKey }: ResultRow): number[] {
  return rules.filter((rule) => rule.checkKey === checkKey).map(({ key }) => key);
}

function changedRuleOf(
  { key, checkKey, changedXid, conditions, recoverySuccesses, channelIds }: RuleRecord,
  { checks }: Tables,
): ChangedRule {
  return {
    key,
    id: `alert_${key}` as AlertRuleId,
    checkKey,
    teamId: checks.get(checkKey)?.teamId as ChangedRule["teamId"],
    name: `rule ${key}`,
    conditionsJson: JSON.stringify(conditions),
    channelIds,
    confirm: false,
    recoverySuccesses,
    revision: changedXid,
    isActive: true,
  };
}

function checkToJudge(check: CheckRecord, tables: Tables): CheckToJudge {
  const { key, id, teamId, name, enabled, frequencySeconds } = check;
  const locationKeys = [...check.locationKeys];
  return {
    check: {
      ...{ key, id, teamId, name, enabled, frequencySeconds, locationKeys },
      type: "http",
      hasDependencies: false,
      targetUrl: null,
      timeoutMs: null,
    },
    open: openInstances(tables, key),
    confirmations: [],
    locations: locationKeys.flatMap((locationKey) => tables.locations.get(locationKey) ?? []),
  };
}

function newestAt(
  results: readonly ResultRow[],
  { checkKey, locationKey, limit, fromMs }: CheckLocationToRead,
): ResultOfCheck[] {
  return results
    .filter((row) => row.checkKey === checkKey && row.locationKey === locationKey && row.slotMs >= fromMs)
    .sort((a, b) => b.slotMs - a.slotMs)
    .slice(0, limit)
    .map(({ slotMs, status, runnerKey, responseTimeUs }) => ({
      checkKey,
      locationKey,
      slotMs,
      status,
      runnerKey,
      responseTimeUs,
      dnsLookupUs: null,
      tlsHandshakeUs: null,
      ttfbUs: null,
      contentTransferUs: null,
      httpStatusCode: null,
      traceId: null,
    }));
}

function openInstances({ instances }: Tables, checkKey: number): OpenInstance[] {
  return [...instances.values()]
    .filter((one) => one.checkKey === checkKey && one.state === "active")
    .map((one) => ({
      id: one.id,
      ruleKey: one.ruleKey,
      checkKey,
      state: "active",
      severity: one.severity,
      startedAtMs: one.startedAtMs,
      wasAnnounced: one.wasAnnounced,
      mutedBy: one.mutedBy,
      isHeld: false,
      hasUnannouncedEscalation: one.hasUnannouncedEscalation,
      triggeringTraceId: null,
      context: one.context,
    }));
}

/** Changes the columns that a transition may change. */
function updateInstances({ instances }: Tables, rows: readonly InstanceRow[]): void {
  for (const row of rows) {
    const known = instances.get(row.id);
    if (!known) continue;
    const { severity, recoveredAtMs, recoveryResultId, mutedBy, hasUnannouncedEscalation, context } = row;
    const state = stateOf(row);
    Object.assign(known, {
      ...{ state, severity, recoveredAtMs, recoveryResultId, mutedBy, hasUnannouncedEscalation, context },
    });
  }
}

function insertInstances({ tables, onViolation }: EvaluationModelParts, rows: readonly InstanceRow[]): void {
  const { instances } = tables;
  for (const row of rows) {
    const state = stateOf(row);
    const isOpen = (one: InstanceRecord) => one.ruleKey === row.ruleKey && one.state === "active";
    if (state === "active" && [...instances.values()].some(isOpen))
      onViolation?.(`rule ${row.ruleKey} has two open alerts`);
    const beganMuted = row.mutedBy === "window";
    instances.set(row.id, { ...row, checkKey: row.checkKey as number, state, beganMuted });
  }
}

function stateOf({ state }: InstanceRow): InstanceRecord["state"] {
  return state === "active" ? "active" : "recovered";
}
