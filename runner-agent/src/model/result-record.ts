/** A result as the agent keeps and sends it: integers for times, so that spooling and encoding stay cheap. */
import type { ResultStatus } from "@svc/contract";
import type { RunResult } from "@svc/probes";

export interface ResultRecord {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  /** Start of the run minus its slot; the location's stagger is part of it. */
  startDelayMs: number;
  /** From the start of the run to its end, retries included. */
  elapsedUs: number;
  status: ResultStatus;
  /** 0: no response. */
  httpStatusCode: number;
  /** Phases in microseconds; -1: the phase did not happen. */
  responseTimeUs: number;
  dnsLookupUs: number;
  tcpConnectUs: number;
  tlsHandshakeUs: number;
  ttfbUs: number;
  contentTransferUs: number;
  /** 32 hex digits; empty: none was sent. */
  traceId: string;
  /** JSON of the contract's result detail; empty: none. */
  detailJson: string;
  /** What was observed and changed, by kind. */
  facts: { kind: string; factJson: string }[];
}

const INT32_MAX = 2 ** 31 - 1;
const UINT32_MAX = 2 ** 32 - 1;

/** The record of one run. `facts` are those to forward with it. */
export function recordOf(
  slot: { checkKey: number; locationKey: number; slotMs: number },
  result: RunResult,
  facts: ResultRecord["facts"],
): ResultRecord {
  const { phases } = result;
  return {
    checkKey: slot.checkKey,
    locationKey: slot.locationKey,
    slotMs: slot.slotMs,
    startDelayMs: clamp(result.startedAtMs - slot.slotMs, -INT32_MAX, INT32_MAX),
    elapsedUs: clamp(result.elapsedUs, 0, UINT32_MAX),
    status: result.status,
    httpStatusCode: result.httpStatusCode ?? 0,
    responseTimeUs: phaseUs(result.responseTimeUs),
    dnsLookupUs: phaseUs(phases.dnsLookupUs),
    tcpConnectUs: phaseUs(phases.tcpConnectUs),
    tlsHandshakeUs: phaseUs(phases.tlsHandshakeUs),
    ttfbUs: phaseUs(phases.ttfbUs),
    contentTransferUs: phaseUs(phases.contentTransferUs),
    traceId: result.traceId ?? "",
    detailJson: result.detail === undefined ? "" : JSON.stringify(result.detail),
    facts,
  };
}

function phaseUs(value: number | undefined): number {
  return value === undefined ? -1 : clamp(value, 0, INT32_MAX);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.round(value)));
}
