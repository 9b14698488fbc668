/** Results as the columns of one ResultBatch. */
import { create } from "@bufbuild/protobuf";
import type { ResultStatus as ResultStatusName } from "@svc/contract";
import { type ResultBatch, ResultBatchSchema, ResultStatus } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ResultRecord } from "../model/result-record.ts";

const STATUSES: Record<ResultStatusName, ResultStatus> = {
  success: ResultStatus.SUCCESS,
  failure: ResultStatus.FAILURE,
  error: ResultStatus.ERROR,
  timeout: ResultStatus.TIMEOUT,
};
const TRACE_ID_BYTES = 16;

export function resultBatchOf(seq: number, records: readonly ResultRecord[]): ResultBatch {
  const traceIds = Buffer.alloc(records.length * TRACE_ID_BYTES);
  const batch = create(ResultBatchSchema, { seq: BigInt(seq), traceIds });
  records.forEach((record, index) => {
    batch.checkKeys.push(BigInt(record.checkKey));
    batch.locationKeys.push(record.locationKey);
    batch.slotsMs.push(BigInt(record.slotMs));
    batch.startDelaysMs.push(record.startDelayMs);
    batch.elapsedUs.push(record.elapsedUs);
    batch.statuses.push(STATUSES[record.status]);
    batch.httpStatusCodes.push(record.httpStatusCode);
    batch.responseTimeUs.push(record.responseTimeUs);
    batch.dnsLookupUs.push(record.dnsLookupUs);
    batch.tcpConnectUs.push(record.tcpConnectUs);
    batch.tlsHandshakeUs.push(record.tlsHandshakeUs);
    batch.ttfbUs.push(record.ttfbUs);
    batch.contentTransferUs.push(record.contentTransferUs);
    if (record.traceId.length === 2 * TRACE_ID_BYTES) {
      traceIds.write(record.traceId, index * TRACE_ID_BYTES, "hex");
    }
    addEvidence(batch, index, record);
  });
  return batch;
}

function addEvidence(batch: ResultBatch, index: number, { detailJson, facts }: ResultRecord): void {
  if (detailJson !== "") batch.details.push({ $typeName: "svc.runner.v1.ResultDetail", index, detailJson });
  for (const { kind, factJson } of facts) {
    batch.facts.push({ $typeName: "svc.runner.v1.ResultFact", index, kind, factJson });
  }
}
