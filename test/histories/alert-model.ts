/**
 * Alerts of a history: the product's own decisions (`evaluateCheck`, `ResultReplay`, `InstanceDrafts`) over tables in memory, and
 * beside them the sequential model, which takes one result after the other and knows a single kind of rule.
 */
import type { AlertRuleId, Condition } from "@svc/contract";
import { evaluateCheck } from "../../control-plane/src/alerting/evaluation/evaluate-check.ts";
import { InstanceDrafts } from "../../control-plane/src/alerting/evaluation/instance-drafts.ts";
import { heldNeedsOf } from "../../control-plane/src/alerting/evaluation/load-input.ts";
import { evidenceByRow, newResultOf } from "../../control-plane/src/alerting/evaluation/new-results.ts";
import { ResultReplay } from "../../control-plane/src/alerting/evaluation/result-replay.ts";
import type { EvaluatedRule, OpenInstance } from "../../control-plane/src/alerting/evaluation/transitions.ts";
import {
  isSuccess,
  publicResultId,
  type StoredResult,
} from "../../control-plane/src/alerting/inputs/judged-result.ts";
import { noLookups } from "../../control-plane/src/alerting/inputs/sources.ts";
import type { InstanceRow } from "../../control-plane/src/alerting/instances/instance-writes.ts";
import type { ResultGroup } from "../../control-plane/src/results/ingest/write-group.ts";
import type { Database } from "./database.ts";
import { enqueueIn } from "./notification-model.ts";
import type { InstanceRecord, ResultRow, RuleRecord, Tables } from "./tables.ts";

/** Judges the new rows of a group by the rules of their checks, and writes what follows. @param nowMs the replica's clock */
export function evaluateStored(
  { database, tables }: { database: Database; tables: Tables },
  group: ResultGroup,
  { newRows, nowMs }: { newRows: readonly number[]; nowMs: number },
): void {
  const drafts = new InstanceDrafts({
    nowMs,
    inMaintenance: new Set(),
    confirmingRunOf: () => {
      throw new Error("no rule of a history asks for confirmation");
    },
  });
  const checkKeys = new Set(newRows.map((row) => group.columns.checkKeys[row] as number));
  for (const checkKey of checkKeys) {
    const rules = tables.rules
      .filter((rule) => rule.checkKey === checkKey)
      .map((rule) => ruleOf(rule, tables));
    if (rules.length === 0) continue;
    const rows = newRows.filter((row) => group.columns.checkKeys[row] === checkKey);
    addTransitions(tables, drafts, { group, checkKey, rows, rules, nowMs });
  }
  write(tables, drafts);
  enqueueIn({ database, tables }, drafts.notifications);
}

function addTransitions(
  tables: Tables,
  drafts: InstanceDrafts,
  input: {
    group: ResultGroup;
    checkKey: number;
    rows: readonly number[];
    rules: EvaluatedRule[];
    nowMs: number;
  },
): void {
  const { group, checkKey, rows, rules, nowMs } = input;
  const record = tables.checks.get(checkKey);
  if (!record) return;
  const evidence = evidenceByRow(group);
  const newResults = rows.map((row) => newResultOf(group, row, evidence));
  const needed = heldNeedsOf(rules).results + newResults.length;
  const locations = record.locationKeys.map((locationKey) => ({
    locationKey,
    locationId: tables.locations.get(locationKey)?.id ?? ("" as never),
    name: `location ${locationKey}`,
    results: newestResults(tables, { checkKey, locationKey, count: needed }),
  }));
  const open = openInstances(tables, checkKey);
  const transitions = evaluateCheck({
    enabled: record.enabled,
    rules,
    open,
    confirmations: [],
    replay: new ResultReplay({ checkKey, nowMs, locations, lookups: noLookups() }, newResults),
    nowMs,
    newResults,
  });
  if (transitions.length === 0) return;
  const { key, id, teamId, name, enabled, frequencySeconds, locationKeys } = record;
  const check = { key, id, teamId, name, enabled, frequencySeconds, locationKeys };
  drafts.add({ check: { ...check, type: "http", targetUrl: null, timeoutMs: null }, open, transitions });
}

function newestResults(
  { results }: Tables,
  { checkKey, locationKey, count }: { checkKey: number; locationKey: number; count: number },
): StoredResult[] {
  return [...results.values()]
    .filter((row) => row.checkKey === checkKey && row.locationKey === locationKey)
    .sort((a, b) => b.slotMs - a.slotMs)
    .slice(0, count)
    .map(({ slotMs, status, runnerKey, responseTimeUs }) => ({
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

function ruleOf(
  { key, checkKey, conditions, recoverySuccesses, channelIds }: RuleRecord,
  { checks }: Tables,
): EvaluatedRule {
  return {
    key,
    id: `alert_${key}` as AlertRuleId,
    checkKey,
    teamId: checks.get(checkKey)?.teamId as EvaluatedRule["teamId"],
    name: `rule ${key}`,
    conditions,
    channelIds,
    confirm: false,
    recoverySuccesses,
  };
}

function openInstances({ instances }: Tables, checkKey: number): OpenInstance[] {
  return [...instances.values()]
    .filter((one) => one.checkKey === checkKey && one.state === "active")
    .map((one) => ({
      id: one.id as OpenInstance["id"],
      ruleKey: one.ruleKey,
      checkKey,
      state: "active",
      severity: "critical",
      startedAtMs: one.startedAtMs,
      wasAnnounced: one.wasAnnounced,
      mutedBy: null,
      hasUnannouncedEscalation: false,
      triggeringTraceId: null,
      context: one.context as OpenInstance["context"],
    }));
}

function write({ instances }: Tables, { changed, created }: InstanceDrafts): void {
  for (const row of [...changed, ...created]) {
    const known = instances.get(row.id);
    instances.set(row.id, {
      ...recordOf(row),
      ...(known && { triggeringResultId: known.triggeringResultId }),
    });
  }
}

function recordOf(row: InstanceRow): InstanceRecord {
  const { id, ruleKey, checkKey, startedAtMs, wasAnnounced, context } = row;
  const { triggeringResultId, recoveryResultId } = row;
  const state = row.state === "active" ? "active" : "recovered";
  return {
    id,
    ruleKey,
    checkKey: checkKey as number,
    state,
    startedAtMs,
    triggeringResultId,
    recoveryResultId,
    wasAnnounced,
    context,
  };
}

/** An instance of the sequential model: the results that began and ended it. */
interface SequentialInstance {
  ruleKey: number;
  triggeringResultId: string;
  recoveryResultId: string | null;
}

/**
 * Returns the instances that one result after the other gives, in the order of their commits. Those of one transaction come in
 * the order of their slots. A rule fires when a location has failed `count` times in a row, at a failure; it recovers at a
 * success, once every location has succeeded `recoverySuccesses` times in a row, or always.
 */
export function sequentialInstances(tables: Tables): SequentialInstance[] {
  const instances: SequentialInstance[] = [];
  for (const rule of tables.rules) {
    const count = countOf(rule.conditions);
    const locationKeys = tables.checks.get(rule.checkKey)?.locationKeys ?? [];
    const knownAt = new Map(locationKeys.map((key) => [key, [] as ResultRow[]]));
    let open: SequentialInstance | undefined;
    for (const row of inOrder(tables, rule.checkKey)) {
      const known = knownAt.get(row.locationKey);
      if (!known) continue;
      const isNewest = known.every(({ slotMs }) => slotMs < row.slotMs);
      known.push(row);
      known.sort((a, b) => b.slotMs - a.slotMs);
      if (!isNewest) continue;
      const rows = [...knownAt.values()];
      const isFiring = rows.some((one) => rowOf(one, false) >= count);
      if (isFiring && !open && row.isCheckOn && !isSuccess(row)) {
        open = {
          ruleKey: rule.key,
          triggeringResultId: publicResultId(rule.checkKey, row),
          recoveryResultId: null,
        };
        instances.push(open);
      } else if (open && !isFiring && isSuccess(row)) {
        const isOver = rows.every((one) => rowOf(one, true) >= Math.min(rule.recoverySuccesses, one.length));
        if (!isOver) continue;
        open.recoveryResultId = publicResultId(rule.checkKey, row);
        open = undefined;
      }
    }
  }
  return instances;
}

function countOf([condition]: readonly Condition[]): number {
  if (condition?.type !== "consecutive_failures") throw new Error("the sequential model knows one condition");
  return condition.count;
}

function inOrder({ results }: Tables, checkKey: number): ResultRow[] {
  return [...results.values()]
    .filter((row) => row.checkKey === checkKey)
    .sort((a, b) =>
      a.xid === b.xid ? a.slotMs - b.slotMs || a.locationKey - b.locationKey : a.ordinal - b.ordinal,
    );
}

/** Returns how many of the newest results in a row are alike. */
function rowOf(newestFirst: readonly ResultRow[], isOfSuccesses: boolean): number {
  const end = newestFirst.findIndex((row) => isSuccess(row) !== isOfSuccesses);
  return end < 0 ? newestFirst.length : end;
}
