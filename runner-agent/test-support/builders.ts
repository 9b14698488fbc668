/** Valid defaults for tests, so that a test states only what matters. */
import type { RunResult } from "@svc/probes";
import type { Assignment, CheckDefinition } from "../src/model/assignment.ts";
import type { ResultRecord } from "../src/model/result-record.ts";

export function aCheck(changes: Partial<CheckDefinition> = {}): CheckDefinition {
  const checkKey = changes.checkKey ?? 1;
  return {
    checkKey,
    checkId: `chk_${checkKey}`,
    name: `check ${checkKey}`,
    type: "http",
    configJson: '{"url":"http://127.0.0.1/"}',
    frequencySeconds: 60,
    phaseMs: 0,
    revision: 1,
    retryJson: "",
    ...changes,
  };
}

export function anAssignment(changes: Partial<Assignment> = {}): Assignment {
  return { checkKey: 1, locationKey: 1, staggerMs: 0, effectiveFromMs: 0, doneSlotsMs: [], ...changes };
}

export function aRunResult(changes: Partial<RunResult> = {}): RunResult {
  return {
    kind: "result",
    status: "success",
    httpStatusCode: 200,
    startedAtMs: 1_800_000_000_005,
    responseTimeUs: 1500,
    elapsedUs: 1600,
    phases: { tcpConnectUs: 200, ttfbUs: 1000, contentTransferUs: 300 },
    ...changes,
  };
}

export function aRecord(changes: Partial<ResultRecord> = {}): ResultRecord {
  return {
    checkKey: 1,
    locationKey: 1,
    slotMs: 1_800_000_000_000,
    startDelayMs: 5,
    elapsedUs: 1600,
    status: "success",
    httpStatusCode: 200,
    responseTimeUs: 1500,
    dnsLookupUs: -1,
    tcpConnectUs: 200,
    tlsHandshakeUs: -1,
    ttfbUs: 1000,
    contentTransferUs: 300,
    traceId: "0af7651916cd43dd8448eb211c80319c",
    detailJson: "",
    facts: [],
    ...changes,
  };
}

/** A record with another value in every field. */
export const A_FULL_RECORD: ResultRecord = {
  checkKey: 11,
  locationKey: 2,
  slotMs: 1_800_000_000_000,
  startDelayMs: -3,
  elapsedUs: 4,
  status: "timeout",
  httpStatusCode: 503,
  responseTimeUs: 6,
  dnsLookupUs: 7,
  tcpConnectUs: 8,
  tlsHandshakeUs: 9,
  ttfbUs: 10,
  contentTransferUs: -1,
  traceId: "0af7651916cd43dd8448eb211c80319c",
  detailJson: '{"errorCategory":"timeout"}',
  facts: [{ kind: "tls", factJson: '{"host":"a"}' }],
};
