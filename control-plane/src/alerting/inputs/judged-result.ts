/** Results as alert conditions see them. */
import {
  isSuccessCode,
  type McpSchemaDriftFacts,
  type ResultDetail,
  type ResultId,
  resultIdOf,
} from "@svc/contract";

/** A stored result. Durations are in microseconds; null: that phase did not happen. */
export interface StoredResult {
  locationKey: number;
  slotMs: number;
  /** Number of a status: see `STATUS_CODES` in the contract. */
  status: number;
  runnerKey: number;
  responseTimeUs: number;
  dnsLookupUs: number | null;
  tlsHandshakeUs: number | null;
  ttfbUs: number | null;
  contentTransferUs: number | null;
  httpStatusCode: number | null;
  traceId: string | null;
  /** Present only when a condition asked for web vitals. */
  webVitals?: ResultDetail["webVitals"] | null;
}

/** A result that the open transaction stored, with the evidence that came beside it. */
export interface NewResult extends StoredResult {
  /** True when the run reported its TLS facts, which runs do when these changed. */
  hasTlsFacts: boolean;
  errorMessage?: string | undefined;
  errorCategory?: string | undefined;
  schemaDrift?: McpSchemaDriftFacts | undefined;
}

/** True when the result is a success; every other status is a failure in the terms of alerting. */
export function isSuccess(result: Pick<StoredResult, "status">): boolean {
  return isSuccessCode(result.status);
}

/** Returns the public id of a check's result. */
export function publicResultId(
  checkKey: number,
  { locationKey, slotMs }: Pick<StoredResult, "locationKey" | "slotMs">,
): ResultId {
  return resultIdOf({ slotMs, checkKey, locationKey });
}
