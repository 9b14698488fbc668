/** A result as the agent keeps and sends it: times are integers, so that spooling and encoding stay cheap. */
import type { ResultValues } from "@svc/contract";
import type { RunResult } from "@svc/probes";
import type { SlotKey } from "./assignment.ts";

/** The measured values of one run with their evidence. */
export interface ResultRecord extends ResultValues {
  /** JSON of the contract's result detail; empty: there is none. */
  detailJson: string;
  /** Result facts that changed since the check location last reported them, by kind. */
  facts: { kind: string; factJson: string }[];
}

const INT32_MAX = 2 ** 31 - 1;
const UINT32_MAX = 2 ** 32 - 1;

/**
 * Returns the record of one run. Times beyond what the wire holds are cut to its largest value.
 * @param facts those to send with this result
 */
export function recordOf(slot: SlotKey, result: RunResult, facts: ResultRecord["facts"]): ResultRecord {
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
