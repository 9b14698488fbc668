/** Converts results that were delivered over REST to the columns of ingest. */
import type { ResultValues, RunnerResult } from "@svc/contract";
import type { FleetCheck } from "../../fleet/fleet-check.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";
import { appendResult, emptyColumns } from "./columns.ts";
import { factStores } from "./facts/registry.ts";
import type { RowRejection } from "./judge-batch.ts";
import type { IngestBatch } from "./pending-group.ts";

/** A request's results, divided into those that ingest judges and those that are refused at once. */
export interface RestResults {
  batch: IngestBatch;
  /** Index in the request of each row of the batch. */
  indexes: number[];
  /** Results that name a check or location that does not exist, by their index in the request. */
  rejections: RowRejection[];
}

/** Runner key of results that came over REST, which names no runner. */
const NO_RUNNER_KEY = 0;

/** Returns the results as one batch. Those of unknown checks or locations are rejected and left out. */
export function columnsFromResults(results: readonly RunnerResult[], state: FleetState): RestResults {
  const columns = emptyColumns();
  const details: { index: number; json: string }[] = [];
  const facts: { index: number; kind: string; json: string }[] = [];
  const indexes: number[] = [];
  const rejections: RowRejection[] = [];
  for (const [index, result] of results.entries()) {
    const check = visibleCheck(result, state);
    const locationKey = state.locationKeyOf(result.locationId);
    if (!check || locationKey === undefined) {
      rejections.push({ index, reason: check ? "locationId: no such location" : "checkId: no such check" });
      continue;
    }
    const row = indexes.push(index) - 1;
    appendResult(columns, resultValues(result, check.key, locationKey), NO_RUNNER_KEY);
    if (result.detail) details.push({ index: row, json: JSON.stringify(result.detail) });
    for (const { type } of factStores.members)
      if (result[type]) facts.push({ index: row, kind: type, json: JSON.stringify(result[type]) });
  }
  return { batch: { columns, details, facts }, indexes, rejections };
}

function resultValues(result: RunnerResult, checkKey: number, locationKey: number): ResultValues {
  const slotMs = Date.parse(result.slotAt);
  const timing = result.timing ?? {};
  return {
    checkKey,
    locationKey,
    slotMs,
    startDelayMs: Date.parse(result.startedAt) - slotMs,
    elapsedUs: microseconds(result.elapsedMs ?? result.responseTimeMs),
    status: result.status,
    httpStatusCode: result.httpStatusCode ?? 0,
    responseTimeUs: microseconds(result.responseTimeMs),
    dnsLookupUs: microseconds(timing.dnsLookupMs),
    tcpConnectUs: microseconds(timing.tcpConnectMs),
    tlsHandshakeUs: microseconds(timing.tlsHandshakeMs),
    ttfbUs: microseconds(timing.ttfbMs),
    contentTransferUs: microseconds(timing.contentTransferMs),
    traceId: result.traceId ?? "",
  };
}

/** Finds the result's check. To a private location's agents other teams' checks don't exist. */
function visibleCheck({ checkId, locationId }: RunnerResult, state: FleetState): FleetCheck | undefined {
  const check = state.checkById(checkId);
  const location = state.location(state.locationKeyOf(locationId) ?? 0);
  return location?.teamId && location.teamId !== check?.teamId ? undefined : check;
}

/** Returns whole microseconds; -1 when the phase did not happen. */
function microseconds(ms: number | undefined): number {
  return ms === undefined ? -1 : Math.round(ms * 1000);
}
