/** Results as columns: entry i of every column belongs to result i. No object per result on the way to the table. */
import type { ResultBatch } from "@svc/proto/svc/runner/v1/runner_pb";

/** The integer columns. -1 in a phase: it did not happen; 0 in httpStatusCodes: no response. */
export const NUMBER_COLUMNS = [
  "checkKeys",
  "locationKeys",
  "slotsMs",
  "runnerKeys",
  "startDelaysMs",
  "elapsedUs",
  "responseTimeUs",
  "dnsLookupUs",
  "tcpConnectUs",
  "tlsHandshakeUs",
  "ttfbUs",
  "contentTransferUs",
  "httpStatusCodes",
  "statuses",
] as const;
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

export type ResultColumns = Record<NumberColumn, number[]> & {
  /** 32 hex digits, or "NULL" when no trace id was sent. */
  traceIds: string[];
};

export function emptyColumns(): ResultColumns {
  const columns = { traceIds: [] as string[] } as unknown as ResultColumns;
  for (const name of NUMBER_COLUMNS) columns[name] = [];
  return columns;
}

/** Appends the rows of `from` at `indexes` (all of them when absent) to `to`. */
export function appendRows(to: ResultColumns, from: ResultColumns, indexes?: readonly number[]): void {
  for (const name of NUMBER_COLUMNS) appendColumn(to[name], from[name], indexes);
  appendColumn(to.traceIds, from.traceIds, indexes);
}

function appendColumn<T>(to: T[], from: readonly T[], indexes: readonly number[] | undefined): void {
  if (indexes === undefined) for (const value of from) to.push(value);
  else for (const index of indexes) to.push(from[index] as T);
}

/** The rows at `indexes`, as columns of their own. */
export function selectRows(from: ResultColumns, indexes: readonly number[]): ResultColumns {
  const columns = emptyColumns();
  appendRows(columns, from, indexes);
  return columns;
}

const TRACE_ID_BYTES = 16;
const NO_TRACE_ID = "0".repeat(2 * TRACE_ID_BYTES);

/** A batch from the wire, by runner `runnerKey`. @returns undefined when its columns differ in length */
export function columnsFromBatch(batch: ResultBatch, runnerKey: number): ResultColumns | undefined {
  const count = batch.checkKeys.length;
  const columns: ResultColumns = {
    checkKeys: batch.checkKeys.map(Number),
    locationKeys: batch.locationKeys,
    slotsMs: batch.slotsMs.map(Number),
    runnerKeys: new Array<number>(count).fill(runnerKey),
    startDelaysMs: batch.startDelaysMs,
    elapsedUs: batch.elapsedUs,
    responseTimeUs: batch.responseTimeUs,
    dnsLookupUs: batch.dnsLookupUs,
    tcpConnectUs: batch.tcpConnectUs,
    tlsHandshakeUs: batch.tlsHandshakeUs,
    ttfbUs: batch.ttfbUs,
    contentTransferUs: batch.contentTransferUs,
    httpStatusCodes: batch.httpStatusCodes,
    statuses: batch.statuses,
    traceIds: traceIdsOf(batch.traceIds),
  };
  const hasEqualLengths =
    NUMBER_COLUMNS.every((name) => columns[name].length === count) && columns.traceIds.length === count;
  return hasEqualLengths && batch.traceIds.length === count * TRACE_ID_BYTES ? columns : undefined;
}

function traceIdsOf(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  const ids: string[] = [];
  for (let start = 0; start < hex.length; start += 2 * TRACE_ID_BYTES) {
    const id = hex.slice(start, start + 2 * TRACE_ID_BYTES);
    ids.push(id === NO_TRACE_ID ? "NULL" : id);
  }
  return ids;
}

/** Number of results that a batch claims to hold, even when its columns disagree. */
export function claimedCount(batch: ResultBatch): number {
  return Math.max(batch.checkKeys.length, batch.slotsMs.length, batch.statuses.length);
}
