/** Reads a batch: the records that one request of an export carries, from the position where the last one ended. */
import type { TeamId, TelemetrySignal } from "@svc/contract";
import type { Knex } from "knex";
import { alertRecord } from "../records/alert-records.ts";
import { TEXT_MAX } from "../records/attributes.ts";
import { recordsOfResult } from "../records/check-records.ts";
import { checkResource, type ExportedCheck } from "../records/check-resource.ts";
import { derivedRecord } from "../records/derived-records.ts";
import { maintenanceRecord } from "../records/maintenance-records.ts";
import { metricsOfCheck } from "../records/metrics.ts";
import type { CheckMetrics, LogRecord, Resource, Span } from "../records/otlp.ts";
import { spansOfResult } from "../records/spans.ts";
import { readAlertEvents, readDerivedEvents, readMaintenanceEvents } from "./event-sources.ts";
import type { Positions } from "./position.ts";
import {
  groupByCheck,
  readCertificates,
  readChecks,
  readQueuedResults,
  readResults,
  type StoredResult,
} from "./result-source.ts";

/** Rows that are read for one request. */
export const BATCH_ROWS_MAX = 1_000;
/** A request is closed once its results have so many characters of text: receivers accept 4 MiB by default. */
const BATCH_TEXT_MAX = 1024 * 1024;
/** A request is closed once it has so many records. */
const BATCH_RECORDS_MAX = 4_000;

/** Records of one signal, as its serializer takes them. */
export type Payload =
  | { signal: "logs"; records: LogRecord[] }
  | { signal: "traces"; records: Span[] }
  | { signal: "metrics"; records: CheckMetrics[] };

/** The records of one request, with the positions that they lead to. */
export interface Batch {
  payload: Payload;
  /** The positions of the export after this batch is delivered. */
  positions: Positions;
  /** Rows that were read; 0: there is nothing to export now. */
  rowCount: number;
  /** Log records, spans or data points. */
  recordCount: number;
  /** True when more rows may wait. */
  hasMore: boolean;
}

/** Identifies the next batch of a team's signal. */
export interface BatchInput {
  teamId: TeamId;
  signal: TelemetrySignal;
  from: Positions;
  /** Largest number of rows. */
  limit: number;
}

/** Reads the next batch of a team's signal. */
export async function readBatch(db: Knex, input: BatchInput): Promise<Batch> {
  const { signal, limit } = input;
  if (signal !== "logs") return readResultBatch(db, input);
  const events = await readEvents(db, input);
  const rowsLeft = limit - events.rowCount;
  const results = await readResultBatch(db, {
    ...input,
    from: events.positions,
    limit: Math.max(0, rowsLeft),
  });
  return {
    ...results,
    payload: { signal, records: [...events.records, ...(results.payload.records as LogRecord[])] },
    rowCount: events.rowCount + results.rowCount,
    recordCount: events.records.length + results.recordCount,
    hasMore: rowsLeft <= 0 || results.hasMore,
  };
}

interface Events {
  records: LogRecord[];
  rowCount: number;
  positions: Positions;
}

/** Reads events beside results. Each source gets an equal share of the rows, so that none waits for another. */
async function readEvents(db: Knex, { teamId, from, limit }: BatchInput): Promise<Events> {
  const share = Math.max(1, Math.floor(limit / 4));
  const derived = await readDerivedEvents(db, { teamId, cursor: from.derived, limit: share });
  const alerts = await readAlertEvents(db, { teamId, cursor: from.alerts, limit: share });
  const maintenance = await readMaintenanceEvents(db, {
    teamId,
    cursor: from.maintenance,
    limit: share,
  });
  const ids = derived.flatMap(({ checkId }) => (checkId === null ? [] : [checkId]));
  const checks = new Map((await readChecks(db, teamId, { ids })).map((check) => [check.id, check]));
  return {
    records: [
      ...derived.map((event) => derivedRecord(event, checks.get(event.checkId ?? ""))),
      ...alerts.filter(({ type }) => type !== "notified").map(alertRecord),
      ...maintenance.map(maintenanceRecord),
    ],
    rowCount: derived.length + alerts.length + maintenance.length,
    positions: {
      ...from,
      derived: lastOf(derived) ?? from.derived,
      alerts: lastOf(alerts) ?? from.alerts,
      maintenance: lastOf(maintenance) ?? from.maintenance,
    },
  };
}

function lastOf(rows: readonly { xid: string; id: string }[]): { xid: string; id: string } | undefined {
  const last = rows.at(-1);
  return last && { xid: last.xid, id: last.id };
}

async function readResultBatch(db: Knex, { teamId, signal, from, limit }: BatchInput): Promise<Batch> {
  const queued = limit > 0 ? await readQueuedResults(db, { teamId, cursor: from.results, limit }) : [];
  const stored = await readResults(db, queued);
  const keys = stored.flatMap((result) => (result ? [result.checkKey] : []));
  const checks = new Map((await readChecks(db, teamId, { keys })).map((check) => [check.key, check]));
  const included: StoredResult[] = [];
  let rowCount = 0;
  let [textLength, records] = [0, 0];
  for (const result of stored) {
    if (textLength > BATCH_TEXT_MAX || records > BATCH_RECORDS_MAX) break;
    rowCount++;
    if (!result || !checks.has(result.checkKey)) continue;
    included.push(result);
    textLength += textOf(result);
    records += 1 + (result.steps?.length ?? 0);
  }
  const payload = await payloadOf(db, { signal, results: included, checks });
  return {
    payload,
    positions: { ...from, results: queued[rowCount - 1]?.after ?? from.results },
    rowCount,
    recordCount: countRecords(payload),
    hasMore: rowCount > 0 && (rowCount < stored.length || rowCount === limit),
  };
}

/** Estimates the characters of text in a result's records; two of them hold the error message. */
function textOf({ errorMessage, stepsLength }: StoredResult): number {
  return 2 * Math.min(TEXT_MAX, errorMessage?.length ?? 0) + stepsLength;
}

interface PayloadInput {
  signal: TelemetrySignal;
  results: readonly StoredResult[];
  /** The checks of the results, by key. */
  checks: ReadonlyMap<number, ExportedCheck>;
}

async function payloadOf(db: Knex, { signal, results, checks }: PayloadInput): Promise<Payload> {
  const resources = new Map<number, Resource>();
  for (const [key, check] of checks) resources.set(key, checkResource(check));
  const each = <T>(map: (result: StoredResult, name: string, resource: Resource) => T[]) =>
    results.flatMap((result) =>
      map(result, checks.get(result.checkKey)?.name ?? "", resources.get(result.checkKey) as Resource),
    );
  if (signal === "logs") return { signal, records: each(recordsOfResult) };
  if (signal === "traces") return { signal, records: each(spansOfResult) };
  const certificates = await readCertificates(db, [...checks.keys()]);
  const records = [...groupByCheck(results)].map(([key, of]) =>
    metricsOfCheck(of, certificates.get(key) ?? [], resources.get(key) as Resource),
  );
  return { signal, records };
}

function countRecords({ signal, records }: Payload): number {
  if (signal !== "metrics") return records.length;
  return records
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .reduce((sum, { dataPoints }) => sum + dataPoints.length, 0);
}
