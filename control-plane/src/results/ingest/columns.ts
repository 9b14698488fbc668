/**
 * Results as columns: entry i of every column belongs to result i. There is no object per result on the way to the
 * table.
 */
import {
  RESULT_COLUMNS,
  type ResultColumn,
  type ResultValues,
  STATUS_CODES,
  TRACE_ID_BYTES,
} from "@svc/contract";
import type { ResultBatch } from "@svc/proto/svc/runner/v1/runner_pb";

type NumericColumn = Exclude<ResultColumn, { wireType: "trace_id" }>;

/** Names the columns of numbers: those of the batch, and the runner that delivered the result (0: it came over REST). */
type NumberColumn = NumericColumn["batchField"] | "runnerKeys";

/** Values are those of the wire, with `none` where a value is missing. */
export type ResultColumns = Record<NumberColumn, number[]> & {
  /** 32 hex digits, or "NULL" when no trace id was sent. */
  traceIds: string[];
};

const NUMERIC_COLUMNS = RESULT_COLUMNS.filter((column) => column.wireType !== "trace_id");
const NUMBER_COLUMNS: readonly NumberColumn[] = [
  ...NUMERIC_COLUMNS.map(({ batchField }) => batchField),
  "runnerKeys",
];

/** Returns the trace id of a result, 32 hex digits; null: it has none. */
export function traceIdAt({ traceIds }: Pick<ResultColumns, "traceIds">, row: number): string | null {
  const traceId = traceIds[row] as string;
  return traceId === "NULL" ? null : traceId.replaceAll("-", "");
}

/** Returns columns without results. */
export function emptyColumns(): ResultColumns {
  const numbers = Object.fromEntries(NUMBER_COLUMNS.map((name) => [name, [] as number[]]));
  return { ...(numbers as Record<NumberColumn, number[]>), traceIds: [] };
}

/** Appends the rows of `from` at `indexes` (all of them when absent) to `to`. */
export function appendRows(to: ResultColumns, from: ResultColumns, indexes?: readonly number[]): void {
  for (const name of NUMBER_COLUMNS) appendColumn(to[name], from[name], indexes);
  appendColumn(to.traceIds, from.traceIds, indexes);
}

/** Appends one result that the runner delivered. */
export function appendResult(to: ResultColumns, result: ResultValues, runnerKey: number): void {
  for (const { name, batchField } of NUMERIC_COLUMNS)
    to[batchField].push(name === "status" ? STATUS_CODES[result.status] : result[name]);
  to.runnerKeys.push(runnerKey);
  to.traceIds.push(result.traceId === "" ? "NULL" : result.traceId);
}

function appendColumn<T>(to: T[], from: readonly T[], indexes: readonly number[] | undefined): void {
  if (indexes === undefined) for (const value of from) to.push(value);
  else for (const index of indexes) to.push(from[index] as T);
}

/** Returns a copy of the rows at `indexes`. */
export function selectRows(from: ResultColumns, indexes: readonly number[]): ResultColumns {
  const columns = emptyColumns();
  appendRows(columns, from, indexes);
  return columns;
}

/**
 * Returns the columns of a batch from the wire.
 * @returns undefined when the batch's columns differ in length
 */
export function columnsFromBatch(batch: ResultBatch, runnerKey: number): ResultColumns | undefined {
  const count = batch.checkKeys.length;
  const columns = emptyColumns();
  for (const { batchField, wireType } of NUMERIC_COLUMNS)
    columns[batchField] =
      wireType === "uint64" || wireType === "int64" ? batch[batchField].map(Number) : batch[batchField];
  columns.runnerKeys = new Array<number>(count).fill(runnerKey);
  columns.traceIds = traceIdsOf(batch.traceIds);
  const hasEqualLengths = NUMBER_COLUMNS.every((name) => columns[name].length === count);
  return hasEqualLengths && batch.traceIds.length === count * TRACE_ID_BYTES ? columns : undefined;
}

const NO_TRACE_ID = "0".repeat(2 * TRACE_ID_BYTES);

function traceIdsOf(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  const ids: string[] = [];
  for (let start = 0; start < hex.length; start += 2 * TRACE_ID_BYTES) {
    const id = hex.slice(start, start + 2 * TRACE_ID_BYTES);
    ids.push(id === NO_TRACE_ID ? "NULL" : id);
  }
  return ids;
}

/** Returns the number of results that a batch claims to hold, even when its columns disagree. */
export function claimedCount(batch: ResultBatch): number {
  return Math.max(batch.checkKeys.length, batch.slotsMs.length, batch.statuses.length);
}
