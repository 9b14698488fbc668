import { fromBinary, ScalarType, toBinary } from "@bufbuild/protobuf";
import { RESULT_COLUMNS, type ResultColumn } from "@svc/contract";
import { ResultBatchSchema, ResultStatus } from "@svc/proto/svc/runner/v1/runner_pb";
import { describe, expect, it } from "vitest";
import { A_FULL_RECORD, aRecord } from "../../test-support/builders.ts";
import { resultBatchOf } from "./result-batch.ts";

describe("a batch on the wire", () => {
  it("has one entry per result in every column, and evidence by index", () => {
    const sent = resultBatchOf(7, [
      aRecord({ checkKey: 11, traceId: "" }),
      aRecord({
        checkKey: 12,
        status: "timeout",
        httpStatusCode: 0,
        ttfbUs: -1,
        startDelayMs: -3,
        detailJson: '{"errorCategory":"timeout"}',
        facts: [{ kind: "tls", factJson: "{}" }],
      }),
    ]);
    const batch = fromBinary(ResultBatchSchema, toBinary(ResultBatchSchema, sent));
    expect(batch).toMatchObject({
      seq: 7n,
      checkKeys: [11n, 12n],
      statuses: [ResultStatus.SUCCESS, ResultStatus.TIMEOUT],
      httpStatusCodes: [200, 0],
      ttfbUs: [1000, -1],
      dnsLookupUs: [-1, -1],
      startDelaysMs: [5, -3],
      details: [{ index: 1, detailJson: '{"errorCategory":"timeout"}' }],
      facts: [{ index: 1, kind: "tls", factJson: "{}" }],
    });
    const lengths = Object.values(batch).flatMap((column) =>
      Array.isArray(column) && column !== batch.details && column !== batch.facts ? [column.length] : [],
    );
    expect(new Set(lengths)).toEqual(new Set([2]));
    expect(Buffer.from(batch.traceIds).toString("hex")).toBe(
      `${"0".repeat(32)}0af7651916cd43dd8448eb211c80319c`,
    );
  });

  it("has the bytes that version 0.1.0 of the agent sent", () => {
    const sent = toBinary(ResultBatchSchema, resultBatchOf(7, [A_FULL_RECORD]));
    expect(Buffer.from(sent).toString("base64")).toBe(
      "CAcSAQsaAQIiBoCg8cKxNCoBBTIBBDoBBEIC9wNKAQxSAQ5aARBiARJqARRyAQF6EAr3ZRkWzUPdhEjrIRyAMZyCAR0SG3siZXJyb3JDYXRlZ29yeSI6InRpbWVvdXQifYoBExIDdGxzGgx7Imhvc3QiOiJhIn0=",
    );
  });

  it("has a field for each column of a result, of the column's type, and no other but number and evidence", () => {
    const types: Record<ResultColumn["wireType"], ScalarType | "enum"> = {
      uint64: ScalarType.UINT64,
      int64: ScalarType.INT64,
      uint32: ScalarType.UINT32,
      sint32: ScalarType.SINT32,
      status: "enum",
      trace_id: ScalarType.BYTES,
    };
    const fields = ResultBatchSchema.fields
      .filter(({ localName }) => !["seq", "details", "facts"].includes(localName))
      .map((field) => [field.localName, field.enum ? "enum" : "scalar" in field ? field.scalar : undefined]);
    expect(RESULT_COLUMNS.map(({ batchField, wireType }) => [batchField, types[wireType]])).toEqual(fields);
  });
});
