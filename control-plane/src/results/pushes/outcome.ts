/** Outcomes of pushed checks, and the results that they become. Pure. */
import type { ResultDetail, ResultStatus, ResultValues } from "@svc/contract";
import { appendResult, emptyColumns } from "../ingest/columns.ts";
import type { IngestBatch } from "../ingest/pending-group.ts";

/** A report, or the instant at which one was expected that did not come. */
export interface PushOutcome {
  checkKey: number;
  /** When the report came or was expected, Unix ms. */
  slotMs: number;
  status: Extract<ResultStatus, "success" | "failure">;
  /** Time from the begin of the run to its end, ms; 0 where its begin was not reported. */
  durationMs: number;
  detail: ResultDetail;
}

/** Longest response time that a result holds, µs: about 35 minutes. The detail has the whole time. */
const RESPONSE_TIME_US_MAX = 2 ** 31 - 1;

/** The runner key of results that no runner delivered. */
const NO_RUNNER_KEY = 0;

/** Returns the outcomes as one batch of results at the location of pushed checks. */
export function batchOf(outcomes: readonly PushOutcome[], locationKey: number): IngestBatch {
  const columns = emptyColumns();
  const details: { index: number; json: string }[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    appendResult(columns, valuesOf(outcome, locationKey), NO_RUNNER_KEY);
    details.push({ index, json: JSON.stringify(outcome.detail) });
  }
  return { columns, details, facts: [] };
}

function valuesOf({ checkKey, slotMs, status, durationMs }: PushOutcome, locationKey: number): ResultValues {
  const none = -1;
  return {
    checkKey,
    locationKey,
    slotMs,
    startDelayMs: 0,
    elapsedUs: 0,
    status,
    httpStatusCode: 0,
    responseTimeUs: Math.min(RESPONSE_TIME_US_MAX, durationMs * 1000),
    dnsLookupUs: none,
    tcpConnectUs: none,
    tlsHandshakeUs: none,
    ttfbUs: none,
    contentTransferUs: none,
    traceId: "",
  };
}
