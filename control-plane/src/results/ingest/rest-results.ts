/** From results as REST delivers them to the columns that ingest takes. */
import { type RunnerResult, STATUS_CODES } from "@svc/contract";
import type { FleetCheck, FleetState } from "../../fleet/fleet-state.ts";
import { emptyColumns } from "./columns.ts";
import type { IngestBatch } from "./ingester.ts";
import type { RowRejection } from "./judge-batch.ts";

export interface RestResults {
  batch: IngestBatch;
  /** Index in the request of each row of the batch. */
  indexes: number[];
  /** Results that name a check or location that does not exist, by their index in the request. */
  rejections: RowRejection[];
}

/** Runs measured over REST have no runner of their own: key 0. */
const NO_RUNNER_KEY = 0;

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
    const slotMs = Date.parse(result.slotAt);
    const timing = result.timing ?? {};
    columns.checkKeys.push(check.key);
    columns.locationKeys.push(locationKey);
    columns.slotsMs.push(slotMs);
    columns.runnerKeys.push(NO_RUNNER_KEY);
    columns.startDelaysMs.push(Date.parse(result.startedAt) - slotMs);
    columns.elapsedUs.push(microseconds(result.elapsedMs ?? result.responseTimeMs));
    columns.responseTimeUs.push(microseconds(result.responseTimeMs));
    columns.dnsLookupUs.push(microseconds(timing.dnsLookupMs));
    columns.tcpConnectUs.push(microseconds(timing.tcpConnectMs));
    columns.tlsHandshakeUs.push(microseconds(timing.tlsHandshakeMs));
    columns.ttfbUs.push(microseconds(timing.ttfbMs));
    columns.contentTransferUs.push(microseconds(timing.contentTransferMs));
    columns.httpStatusCodes.push(result.httpStatusCode ?? 0);
    columns.statuses.push(STATUS_CODES[result.status]);
    columns.traceIds.push(result.traceId ?? "NULL");
    if (result.detail) details.push({ index: row, json: JSON.stringify(result.detail) });
    if (result.tls) facts.push({ index: row, kind: "tls", json: JSON.stringify(result.tls) });
    if (result.mcp) facts.push({ index: row, kind: "mcp", json: JSON.stringify(result.mcp) });
  }
  return { batch: { columns, details, facts }, indexes, rejections };
}

/** The check; a private location's agents know nothing of other teams' checks, not even that they exist. */
function visibleCheck({ checkId, locationId }: RunnerResult, state: FleetState): FleetCheck | undefined {
  const check = state.checkById(checkId);
  const location = state.location(state.locationKeyOf(locationId) ?? 0);
  return location?.teamId && location.teamId !== check?.teamId ? undefined : check;
}

/** Whole microseconds; -1 when the phase did not happen. */
function microseconds(ms: number | undefined): number {
  return ms === undefined ? -1 : Math.round(ms * 1000);
}
