/** Converts results to log records: completed, failed, steps of a browser run, drift of an MCP server. Pure. */
import {
  type LocationId,
  type McpSchemaDriftFacts,
  type ResultStatus,
  type ResultStep,
  resultIdOf,
  runIdOf,
  statusOfCode,
} from "@svc/contract";
import type { EventAttributes } from "../derived-events/store.ts";
import { ATTR } from "./attributes.ts";
import { type LogRecord, type LogRecordParts, logRecord, type Resource } from "./otlp.ts";

/** A stored result with the exported fields of its detail. */
export interface ExportedResult {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  locationId: LocationId;
  locationName: string;
  /** Number of the status. */
  status: number;
  startDelayMs: number;
  elapsedUs: number;
  responseTimeUs: number;
  dnsLookupUs: number | null;
  tcpConnectUs: number | null;
  tlsHandshakeUs: number | null;
  ttfbUs: number | null;
  contentTransferUs: number | null;
  httpStatusCode: number | null;
  traceId: string | null;
  createdAtMs: number;
  errorCategory: string | null;
  errorMessage: string | null;
  drift: Partial<McpSchemaDriftFacts> | null;
  steps: readonly ResultStep[] | null;
}

/** Names of tools that are listed per kind of change. */
const TOOLS_LISTED_MAX = 50;

/** Returns the status of an exported result by its stored code. */
export function statusOf(result: Pick<ExportedResult, "status">): ResultStatus {
  return statusOfCode(result.status);
}

/** Returns the start of the run, Unix ms, by the runner's corrected clock. */
export function startOf({ slotMs, startDelayMs }: ExportedResult): number {
  return slotMs + startDelayMs;
}

/** Returns the instant at which a run ended, Unix ms. */
export function endOf(result: ExportedResult): number {
  return startOf(result) + result.elapsedUs / 1000;
}

/** Returns all records of a result, in the order of their events. */
export function recordsOfResult(result: ExportedResult, checkName: string, resource: Resource): LogRecord[] {
  const status = statusOf(result);
  const common = {
    resource,
    atMs: endOf(result),
    observedAtMs: result.createdAtMs,
    traceId: result.traceId,
  };
  const what = `${checkName} from ${result.locationName}`;
  const completed = {
    ...common,
    severity: status === "success" ? ("info" as const) : ("critical" as const),
    attributes: runAttributes(result, status),
  };
  const records = (result.steps ?? []).map((step, index) => stepRecord(result, { step, index }, common));
  records.push(
    logRecord({ ...completed, eventName: "synthetics.check.completed", body: `${what}: ${status}` }),
  );
  if (status !== "success")
    records.push(
      logRecord({
        ...completed,
        eventName: "synthetics.check.failed",
        body: `${what}: ${result.errorMessage ?? status}`,
      }),
    );
  if (result.drift)
    records.push(driftRecord(result, result.drift, { ...common, body: `${what}: tools changed` }));
  return records;
}

/** Returns the attributes of every record of a check's run at a location. */
export function runAttributesOf(result: ExportedResult): EventAttributes {
  return {
    [ATTR.runId]: runIdOf(result),
    [ATTR.locationId]: result.locationId,
    [ATTR.locationName]: result.locationName,
    [ATTR.checkStatus]: statusOf(result),
  };
}

function runAttributes(result: ExportedResult, status: ResultStatus): EventAttributes {
  return {
    ...runAttributesOf(result),
    [ATTR.resultId]: resultIdOf(result),
    [ATTR.responseTimeMs]: Math.round(result.responseTimeUs / 1000),
    [ATTR.httpStatusCode]: result.httpStatusCode,
    [ATTR.dnsLookupMs]: wholeMs(result.dnsLookupUs),
    [ATTR.tcpConnectMs]: wholeMs(result.tcpConnectUs),
    [ATTR.tlsHandshakeMs]: wholeMs(result.tlsHandshakeUs),
    [ATTR.ttfbMs]: wholeMs(result.ttfbUs),
    [ATTR.contentTransferMs]: wholeMs(result.contentTransferUs),
    [ATTR.errorType]: result.errorCategory ?? (status === "success" ? null : status),
    [ATTR.errorMessage]: status === "success" ? null : result.errorMessage,
  };
}

/** Returns whole ms, so that the attribute has one type in every record. */
function wholeMs(us: number | null): number | null {
  return us === null ? null : Math.round(us / 1000);
}

type Common = Omit<LogRecordParts, "eventName" | "severity" | "attributes">;

function stepRecord(
  result: ExportedResult,
  { step, index }: { step: ResultStep; index: number },
  common: Common,
): LogRecord {
  return logRecord({
    ...common,
    eventName: "synthetics.step.completed",
    severity: step.status === "success" ? "info" : "critical",
    atMs: Date.parse(step.startedAt) + step.durationMs,
    body: `${step.name}: ${step.status}`,
    attributes: {
      ...runAttributesOf(result),
      [ATTR.stepName]: step.name,
      [ATTR.stepIndex]: index,
      [ATTR.stepStatus]: step.status,
      [ATTR.stepDurationMs]: Math.round(step.durationMs),
      [ATTR.errorMessage]: step.errorMessage,
    },
  });
}

function driftRecord(result: ExportedResult, drift: Partial<McpSchemaDriftFacts>, common: Common): LogRecord {
  const { added = [], removed = [], modified = [], escalated = [], server = [] } = drift;
  const listed = (names: readonly string[]) => (names.length > 0 ? names.slice(0, TOOLS_LISTED_MAX) : null);
  return logRecord({
    ...common,
    eventName: "synthetics.mcp.schema_drift",
    severity: "warning",
    attributes: {
      ...runAttributesOf(result),
      [ATTR.driftAddedCount]: added.length,
      [ATTR.driftRemovedCount]: removed.length,
      [ATTR.driftModifiedCount]: modified.length,
      [ATTR.driftTotalCount]: added.length + removed.length + modified.length,
      [ATTR.driftAddedTools]: listed(added),
      [ATTR.driftRemovedTools]: listed(removed),
      [ATTR.driftModifiedTools]: listed(modified),
      [ATTR.driftEscalatedTools]: listed(escalated),
      [ATTR.driftServerFields]: listed(server),
    },
  });
}
