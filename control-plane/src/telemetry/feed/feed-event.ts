/** Rows as the feed shows them. Pure. */
import {
  type FeedEvent,
  type FeedEventType,
  isSuccessCode,
  oneLine,
  resultIdOf,
  runIdOf,
} from "@svc/contract";
import type { FeedAlertRow, FeedResultRow } from "./store.ts";

/** Names of tools listed per kind of change. */
const TOOLS_LISTED_MAX = 50;

export function resultEvent(row: FeedResultRow): FeedEvent {
  const isSuccess = isSuccessCode(row.status);
  const responseTimeMs = row.responseTimeUs / 1000;
  return {
    id: resultIdOf(row),
    eventType: isSuccess ? "check.completed" : "check.failed",
    ...commonOfResult(row),
    severity: isSuccess ? null : "critical",
    summary: isSuccess
      ? `${row.checkName} completed from ${row.locationName} in ${Math.round(responseTimeMs)} ms`
      : `${row.checkName} failed from ${row.locationName}${row.errorMessage ? `: ${summaryText(row.errorMessage)}` : ""}`,
    attributes: {
      "synthetics.http.response_time": responseTimeMs,
      "synthetics.check.success": isSuccess,
      ...(row.httpStatusCode === null ? {} : { "synthetics.http.status_code": row.httpStatusCode }),
      ...(isSuccess || row.errorMessage === null
        ? {}
        : { "synthetics.check.error_message": row.errorMessage, "error.message": row.errorMessage }),
    },
  };
}

/** Beside the run's own event. */
export function driftEvent(row: FeedResultRow): FeedEvent {
  const { added = [], removed = [], modified = [], server = [] } = row.drift ?? {};
  const total = added.length + removed.length + modified.length;
  return {
    id: `${resultIdOf(row)}:drift`,
    eventType: "check.mcp_schema_drift",
    ...commonOfResult(row),
    severity: "warning",
    summary:
      total > 0
        ? `${row.checkName}: ${added.length} tools added, ${removed.length} removed, ${modified.length} modified`
        : `${row.checkName}: the MCP server changed (${server.join(", ")})`,
    attributes: {
      "synthetics.mcp.drift.added_count": added.length,
      "synthetics.mcp.drift.removed_count": removed.length,
      "synthetics.mcp.drift.modified_count": modified.length,
      "synthetics.mcp.drift.total_count": total,
      "synthetics.mcp.drift.added_tools": added.slice(0, TOOLS_LISTED_MAX),
      "synthetics.mcp.drift.removed_tools": removed.slice(0, TOOLS_LISTED_MAX),
      "synthetics.mcp.drift.modified_tools": modified.slice(0, TOOLS_LISTED_MAX),
    },
  };
}

function commonOfResult(row: FeedResultRow) {
  return {
    timestamp: new Date(row.createdAtMs).toISOString(),
    checkId: row.checkId,
    checkName: row.checkName,
    checkType: row.checkType,
    traceId: row.traceId,
    resourceAttributes: {
      "synthetics.check.id": row.checkId,
      "synthetics.check.name": row.checkName,
      "synthetics.check.type": row.checkType,
      "synthetics.run.id": runIdOf(row),
      "synthetics.location.id": row.locationId,
      "synthetics.location.name": row.locationName,
    },
  };
}

export function alertEvent(row: FeedAlertRow): FeedEvent {
  const { summary, ...details } = row.detail ?? {};
  const channelType = details.channelType;
  const what = String(summary ?? row.context?.summary ?? "");
  return {
    id: row.id,
    eventType: `alert.${row.type}` as FeedEventType,
    timestamp: new Date(row.createdAtMs).toISOString(),
    checkId: row.checkId,
    checkName: row.checkName,
    checkType: row.checkType,
    severity: row.severity,
    traceId: row.triggeringTraceId,
    summary: summaryText(`${row.ruleName ?? row.checkName}: alert ${row.type}${what ? `: ${what}` : ""}`),
    resourceAttributes: {
      "synthetics.alert.instance_id": row.instanceId,
      "synthetics.alert.rule_id": row.ruleId,
      "synthetics.alert.rule_name": row.ruleName,
      "synthetics.check.id": row.checkId,
      "synthetics.check.name": row.checkName,
    },
    attributes: {
      "synthetics.alert.state": row.state,
      "synthetics.alert.severity": row.severity,
      "synthetics.alert.event_type": row.type,
      ...(row.actorId === null ? {} : { "synthetics.alert.actor": row.actorId }),
      ...(typeof channelType === "string" ? { "synthetics.alert.channel_type": channelType } : {}),
      ...(row.type === "triggered" || row.type === "escalated"
        ? { "synthetics.alert.context": row.context }
        : {}),
      ...(Object.keys(details).length > 0 ? { "synthetics.alert.details": details } : {}),
    },
  };
}

/** Returns the text as a summary: one line of at most {@link SUMMARY_CHARACTERS_MAX} characters. */
function summaryText(text: string): string {
  return oneLine(text).slice(0, SUMMARY_CHARACTERS_MAX);
}

const SUMMARY_CHARACTERS_MAX = 500;
