/** Converts rows of results to the form that the API shows. */
import {
  type CheckId,
  type CheckType,
  checkTypes,
  type LocationId,
  type Result,
  type ResultDetail,
  resultIdOf,
  runIdOf,
  statusOfCode,
  type Timing,
} from "@svc/contract";

/** A row of `results` with its location's id and the detail, if asked for. */
export interface ResultRow {
  slotMs: number;
  locationKey: number;
  locationId: LocationId;
  traceId: string | null;
  startDelayMs: number;
  elapsedUs: number;
  responseTimeUs: number;
  dnsLookupUs: number | null;
  tcpConnectUs: number | null;
  tlsHandshakeUs: number | null;
  ttfbUs: number | null;
  contentTransferUs: number | null;
  httpStatusCode: number | null;
  /** 1 success, 2 failure, 3 error, 4 timeout. */
  status: number;
  errorCategory: ResultDetail["errorCategory"] | null;
  errorMessage: string | null;
  /** Null when there is none, or it wasn't asked for. */
  detail: Detail | null;
}

/** Stored detail. Fields that only one check type has are stored under their names in the API. */
type Detail = ResultDetail & Record<string, unknown>;

/** The check of some results. */
export interface ResultOwner {
  key: number;
  id: CheckId;
  type: CheckType;
}

export function resultFromRow(check: ResultOwner, row: ResultRow, withDetail: boolean): Result {
  const startedAtMs = row.slotMs + row.startDelayMs;
  return {
    id: resultIdOf({ slotMs: row.slotMs, checkKey: check.key, locationKey: row.locationKey }),
    checkId: check.id,
    runId: runIdOf({ slotMs: row.slotMs, checkKey: check.key }),
    locationId: row.locationId,
    status: statusOfCode(row.status),
    responseTimeMs: msOf(row.responseTimeUs),
    httpStatusCode: row.httpStatusCode,
    timing: timingOf(row),
    traceId: row.traceId === null ? null : row.traceId.replaceAll("-", ""),
    errorCategory: row.errorCategory ?? null,
    errorMessage: row.errorMessage,
    slotAt: isoOf(row.slotMs),
    startedAt: isoOf(startedAtMs),
    completedAt: isoOf(startedAtMs + row.elapsedUs / 1000),
    ...(withDetail ? detailOf(check.type, row.detail ?? {}) : {}),
  };
}

function detailOf(type: CheckType, detail: Partial<Detail>): Partial<Result> {
  return {
    assertions: detail.assertions ?? null,
    response: detail.response ?? null,
    attempts: detail.attempts ?? null,
    recoveredOnRetry: detail.recoveredOnRetry ?? false,
    notes: detail.notes ?? null,
    ...Object.fromEntries(
      Object.keys(checkTypes.get(type).detailFields).map((field) => [field, detail[field] ?? null]),
    ),
  };
}

function timingOf(row: ResultRow): Timing {
  const phases: [keyof Timing, number | null][] = [
    ["dnsLookupMs", row.dnsLookupUs],
    ["tcpConnectMs", row.tcpConnectUs],
    ["tlsHandshakeMs", row.tlsHandshakeUs],
    ["ttfbMs", row.ttfbUs],
    ["contentTransferMs", row.contentTransferUs],
  ];
  const happened = phases.flatMap(([name, us]) => (us === null ? [] : [[name, msOf(us)] as const]));
  return { ...Object.fromEntries(happened), totalMs: msOf(row.responseTimeUs) };
}

function msOf(us: number): number {
  return us / 1000;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
