/** The reads and writes of an evaluation within one transaction, and their SQL. */
import type { CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queueHeldAlerts } from "../../outbox/held-alert-queue-store.ts";
import type { AlertNotification } from "../../outbox/payload.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { findCutOffAt } from "../holds/find-cut-off.ts";
import type { TeamLocation } from "../holds/reach-store.ts";
import type { CheckInNeed } from "../inputs/input-source.ts";
import type { NewResult } from "../inputs/judged-result.ts";
import {
  type CheckLocationToRead,
  type NewestResultsOptions,
  type ResultOfCheck,
  readNewestResults,
} from "../inputs/result-store.ts";
import { INPUT_SOURCES, type InputKind, type SourceLookups, type SourceNeeds } from "../inputs/sources.ts";
import { type AlertEventRow, insertAlertEvents } from "../instances/event-store.ts";
import { type InstanceRow, insertInstances, updateInstances } from "../instances/instance-writes.ts";
import { findChecksInMaintenance } from "../instances/maintenance-mutes.ts";
import { type RuleChanges, readRuleChanges } from "../rules/evaluation-store.ts";
import { type CheckToJudge, readChecksToJudge } from "./check-store.ts";
import { dispatchConfirmations, readConfirmingRuns, type WantedConfirmation } from "./confirmation-runs.ts";
import { deleteConfirmations } from "./confirmation-store.ts";
import { lockChecks } from "./locks.ts";
import type { ConfirmingRun } from "./transitions.ts";

/**
 * The tables of alerting and of results in one transaction: each call sees what others committed before it, and what the
 * transaction wrote itself. Every call rejects when the database is away.
 */
export interface EvaluationStore {
  /** Runs the work so that nothing of it is left when it rejects, and the transaction goes on. */
  savepoint<T>(work: (store: EvaluationStore) => Promise<T>): Promise<T>;
  /** See {@link lockChecks}. */
  lockChecks(checkKeys: Iterable<number>): Promise<void>;
  /** See {@link readRuleChanges}. */
  readRuleChanges(since: string, checkKeys: readonly number[]): Promise<RuleChanges>;
  /** See {@link readChecksToJudge}. */
  readChecksToJudge(checkKeys: readonly number[]): Promise<CheckToJudge[]>;
  /** See {@link readNewestResults}. */
  readNewestResults(
    locations: readonly CheckLocationToRead[],
    options: NewestResultsOptions,
  ): Promise<ResultOfCheck[]>;
  /** Reads one kind of input for the checks that ask for it, of which there is at least one. */
  loadInputs<Kind extends InputKind>(
    kind: Kind,
    checks: readonly CheckInNeed<SourceNeeds[Kind]>[],
    nowMs: number,
  ): Promise<Map<number, SourceLookups[Kind]>>;
  /** See {@link findChecksInMaintenance}. */
  findChecksInMaintenance(
    checks: readonly { teamId: TeamId; checkId: CheckId }[],
    atMs: number,
  ): Promise<Set<CheckId>>;
  /** See {@link findCutOffAt}. */
  findCutOff(asked: readonly TeamLocation[]): Promise<ReadonlySet<string>>;
  /** See {@link readConfirmingRuns}. */
  readConfirmingRuns(
    results: readonly NewResult[],
  ): Promise<(checkKey: number, result: NewResult) => ConfirmingRun>;
  /** See {@link updateInstances}. */
  updateInstances(rows: readonly InstanceRow[]): Promise<void>;
  /** See {@link insertInstances}. A rule has one open instance at most. */
  insertInstances(rows: readonly InstanceRow[]): Promise<void>;
  /** See {@link insertAlertEvents}. */
  insertAlertEvents(events: readonly AlertEventRow[]): Promise<void>;
  /** See {@link deleteConfirmations}. */
  deleteConfirmations(ruleKeys: readonly number[]): Promise<void>;
  /** See {@link dispatchConfirmations}. */
  dispatchConfirmations(wanted: readonly WantedConfirmation[], nowMs: number): Promise<void>;
  /** See {@link queueHeldAlerts}. */
  queueHeldAlerts(notifications: readonly AlertNotification[]): Promise<void>;
  /** See {@link reportAlerts}. */
  reportAlerts(notifications: readonly AlertNotification[]): Promise<void>;
}

/** Returns the store in PostgreSQL, of one transaction. */
export function postgresEvaluationStore(trx: Knex): EvaluationStore {
  return {
    savepoint: (work) => trx.transaction((inner) => work(postgresEvaluationStore(inner))),
    lockChecks: (checkKeys) => lockChecks(trx, checkKeys),
    readRuleChanges: (since, checkKeys) => readRuleChanges(trx, since, checkKeys),
    readChecksToJudge: (checkKeys) => readChecksToJudge(trx, checkKeys),
    readNewestResults: (locations, options) => readNewestResults(trx, locations, options),
    loadInputs: (kind, checks, nowMs) => INPUT_SOURCES[kind].load(trx, checks, nowMs),
    findChecksInMaintenance: (checks, atMs) => findChecksInMaintenance(trx, checks, atMs),
    findCutOff: (asked) => findCutOffAt(trx, asked),
    readConfirmingRuns: (results) => readConfirmingRuns(trx, results),
    updateInstances: (rows) => updateInstances(trx, rows),
    insertInstances: (rows) => insertInstances(trx, rows),
    insertAlertEvents: (events) => insertAlertEvents(trx, events),
    deleteConfirmations: (ruleKeys) => deleteConfirmations(trx, ruleKeys),
    dispatchConfirmations: (wanted, nowMs) => dispatchConfirmations(trx, wanted, nowMs),
    queueHeldAlerts: (notifications) => queueHeldAlerts(trx, notifications),
    reportAlerts: async (notifications) => void (await reportAlerts(trx, notifications)),
  };
}
