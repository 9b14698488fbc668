/** The tables behind a replica's sessions and dispatches, as the sessions need them. */
import type { RunnerKeyId } from "@svc/contract";
import type { Check, TestRunReport } from "@svc/proto/svc/runner/v1/runner_pb";
import {
  type CheckDocument,
  loadCheckDocuments,
  loadChecksFor,
  loadDocumentBytes,
} from "../fleet/check-documents.ts";
import type { FleetSource } from "../fleet/fleet-source.ts";
import { postgresFleetSource } from "../fleet/fleet-source.ts";
import { readLiveRunnerKeyIds } from "../fleet/fleet-store.ts";
import type { RunnerSealer } from "../fleet/runner-sealer.ts";
import {
  findSlotsWithResults,
  readRecentSlotsWithResults,
  type StaggeredCheckLocation,
} from "../fleet/slots-with-results.ts";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import type { Services } from "../platform/services.ts";
import { findManualRuns } from "../results/ingest/store.ts";
import {
  closeGivenBackSlots,
  type GivenBackStore,
  insertGivenBack,
  insertOverrun,
} from "./given-back-store.ts";
import { insertOutage, type OutageStore } from "./outage-store.ts";
import {
  endLease,
  type LeaseRenewal,
  type OpenedRunner,
  openRunnerSession,
  type RunnerSession,
  renewLeases,
} from "./store.ts";
import { receiveTestRunReport } from "./test-runs/receive-report.ts";
import { type SendTestRunsParts, sendTestRuns } from "./test-runs/send-test-runs.ts";

/** Reads and writes of a replica's fleet. Every call rejects while the database is away. */
export interface GatewayStore extends GivenBackStore, OutageStore {
  /** What the watch over the fleet reads. */
  readonly fleet: FleetSource;
  /** See {@link openRunnerSession}. */
  openRunnerSession(session: RunnerSession): Promise<OpenedRunner>;
  /** See {@link renewLeases}. */
  renewLeases(renewals: readonly LeaseRenewal[]): Promise<void>;
  /** See {@link endLease}. */
  endLease(sessionId: string, remainingMs: number): Promise<void>;
  /** Returns those of the runner keys that were not revoked. */
  readLiveRunnerKeyIds(ids: readonly RunnerKeyId[]): Promise<Set<RunnerKeyId>>;
  /** Reads checks by key. */
  loadCheckDocuments(checkKeys: readonly number[]): Promise<Map<number, CheckDocument>>;
  /** Reads checks by key, as one runner gets them. */
  loadChecksFor(checkKeys: readonly number[], sealer: RunnerSealer | undefined): Promise<Map<number, Check>>;
  /** Returns about how many bytes each check takes in a message, by key. */
  loadDocumentBytes(checkKeys: readonly number[]): Promise<Map<number, number>>;
  /** See {@link readRecentSlotsWithResults}. */
  readRecentSlotsWithResults(
    checkLocations: readonly StaggeredCheckLocation[],
    nowMs: number,
  ): Promise<Map<string, number[]>>;
  /** Returns the indexes of those of the given slots that have a result. */
  findSlotsWithResults(slots: readonly CheckLocationSlot[]): Promise<Set<number>>;
  /** See {@link closeGivenBackSlots}. */
  closeGivenBackSlots(nowMs: number): Promise<void>;
  /** Stores a runner's report about a test run. */
  receiveTestRunReport(report: TestRunReport, runnerKey: number): Promise<void>;
  /** Sends this replica's sessions the test runs that no runner has got. */
  sendTestRuns(parts: Omit<SendTestRunsParts, "services">): Promise<void>;
}

/** Returns the store in PostgreSQL. */
export function postgresGatewayStore(services: Services): GatewayStore {
  const { knex, log } = services;
  return {
    fleet: postgresFleetSource(knex, log),
    openRunnerSession: (session) => openRunnerSession(knex, session),
    renewLeases: (renewals) => renewLeases(knex, renewals),
    endLease: (sessionId, remainingMs) => endLease(knex, sessionId, remainingMs),
    readLiveRunnerKeyIds: (ids) => readLiveRunnerKeyIds(knex, ids),
    loadCheckDocuments: (checkKeys) => loadCheckDocuments(services, checkKeys),
    loadChecksFor: (checkKeys, sealer) => loadChecksFor(services, checkKeys, sealer),
    loadDocumentBytes: (checkKeys) => loadDocumentBytes(knex, checkKeys),
    readRecentSlotsWithResults: (checkLocations, nowMs) =>
      readRecentSlotsWithResults(knex, checkLocations, nowMs),
    findSlotsWithResults: (slots) => findSlotsWithResults(knex, slots),
    findManualRuns: (slots) => findManualRuns(knex, slots),
    insertGivenBack: (runnerKey, slots) => insertGivenBack(knex, runnerKey, slots),
    insertOverrun: (slots) => insertOverrun(knex, slots),
    closeGivenBackSlots: (nowMs) => closeGivenBackSlots(knex, nowMs),
    insertOutage: (replicaId, outage) => insertOutage(knex, replicaId, outage),
    receiveTestRunReport: (report, runnerKey) => receiveTestRunReport(services, report, runnerKey),
    sendTestRuns: (parts) => sendTestRuns({ services, ...parts }),
  };
}
