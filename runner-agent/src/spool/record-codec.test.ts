import { describe, expect, it } from "vitest";
import { A_FULL_RECORD, aRecord } from "../../test-support/builders.ts";
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

  it("reads results that version 0.1.0 of the agent stored, and stores them in its order", () => {
    const stored =
      '[1,11,2,1800000000000,-3,4,"timeout",503,6,7,8,9,10,-1,"0af7651916cd43dd8448eb211c80319c",' +
      String.raw`"{\"errorCategory\":\"timeout\"}",[{"kind":"tls","factJson":"{\"host\":\"a\"}"}]]`;
    const record = decodeRecord(Buffer.from(stored));
    expect(record).toEqual(A_FULL_RECORD);
    expect(encodeRecord(record).toString()).toBe(stored);
  });

  it("takes few bytes when it is a success", () => {
    expect(encodeRecord(aRecord({ checkKey: 123_456, locationKey: 14 })).length).toBeLessThan(140);
  });

  it.each(["{}", "[2,1]", "not json"])("refuses bytes that are no result: %s", (text) => {
    expect(() => decodeRecord(Buffer.from(text))).toThrow();
  });
});
