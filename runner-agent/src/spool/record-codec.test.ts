import { describe, expect, it } from "vitest";
import { aRecord } from "../../test-support/builders.ts";
import { decodeRecord, encodeRecord } from "./record-codec.ts";

describe("a result in the spool", () => {
  it.each([
    ["a plain success", aRecord()],
    ["a failure with its evidence", aRecord({ status: "failure", detailJson: '{"errorMessage":"über"}' })],
    ["one with facts", aRecord({ facts: [{ kind: "tls", factJson: '{"host":"a"}' }] })],
    ["one without response", aRecord({ status: "timeout", httpStatusCode: 0, ttfbUs: -1, traceId: "" })],
  ])("%s comes back as it went in", (_name, record) => {
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  });

  it("takes little room when it is a success", () => {
    expect(encodeRecord(aRecord({ checkKey: 123_456, locationKey: 14 })).length).toBeLessThan(140);
  });

  it.each(["{}", "[2,1]", "not json"])("refuses what is none: %s", (text) => {
    expect(() => decodeRecord(Buffer.from(text))).toThrow();
  });
});
