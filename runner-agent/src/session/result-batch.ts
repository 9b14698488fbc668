/** Converts results to the columns of one `ResultBatch`. */
import { create } from "@bufbuild/protobuf";
import { RESULT_COLUMNS, type ResultColumn, STATUS_CODES, TRACE_ID_BYTES } from "@svc/contract";
import { type ResultBatch, ResultBatchSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ResultRecord } from "../model/result-record.ts";

type BatchColumns = Pick<ResultBatch, ResultColumn["batchField"]>;

/** Returns the batch with the number `seq`; entry i of every column belongs to `records[i]`. */
export function resultBatchOf(seq: number, records: readonly ResultRecord[]): ResultBatch {
  const columns = Object.fromEntries(
    RESULT_COLUMNS.map((column) => [column.batchField, columnOf(column, records)]),
  ) as BatchColumns;
  const batch = Object.assign(create(ResultBatchSchema, { seq: BigInt(seq) }), columns);
  for (const [index, record] of records.entries()) addEvidence(batch, index, record);
  return batch;
}

function columnOf(column: ResultColumn, records: readonly ResultRecord[]): BatchColumns[keyof BatchColumns] {
  switch (column.wireType) {
    case "uint64":
    case "int64":
      return records.map((record) => BigInt(record[column.name]));
    case "status":
      return records.map((record) => STATUS_CODES[record[column.name]]);
    case "trace_id":
      return traceIdBytes(records);
    default:
      return records.map((record) => record[column.name]);
  }
}

/** Returns the trace ids joined; a result without one has zeros. */
function traceIdBytes(records: readonly ResultRecord[]): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(records.length * TRACE_ID_BYTES);
  for (const [index, { traceId }] of records.entries()) {
    if (traceId.length === 2 * TRACE_ID_BYTES) bytes.write(traceId, index * TRACE_ID_BYTES, "hex");
  }
  return bytes;
}

function addEvidence(batch: ResultBatch, index: number, { detailJson, facts }: ResultRecord): void {
  if (detailJson !== "") batch.details.push({ $typeName: "svc.runner.v1.ResultDetail", index, detailJson });
  for (const { kind, factJson } of facts) {
    batch.facts.push({ $typeName: "svc.runner.v1.ResultFact", index, kind, factJson });
  }
}
