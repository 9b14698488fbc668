/** Feed events of changed MCP servers: `check.mcp_schema_drift`, beside the event of the run that found the change. */
import { type FeedEvent, resultIdOf } from "@svc/contract";
import { ATTR } from "../../records/attributes.ts";
import { readFeedDrifts } from "../result-store.ts";
import type { FeedResultRow } from "../store.ts";
import type { FeedSource } from "./feed-source.ts";
import { fieldsOfResult } from "./result-event.ts";

/** Names of tools that are listed per kind of change. */
const TOOLS_LISTED_MAX = 50;

/** Reads the newest results that found a changed MCP server. */
export const mcpDriftSource: FeedSource = {
  type: "mcp_drift",
  eventTypes: ["check.mcp_schema_drift"],
  readNewest: async (db, request) => {
    const results = await readFeedDrifts(db, request);
    return results.map((result) => ({ createdAtMs: result.createdAtMs, result, toEvent: driftEvent }));
  },
};

function driftEvent(row: FeedResultRow): FeedEvent {
  const { added = [], removed = [], modified = [], server = [] } = row.drift ?? {};
  const total = added.length + removed.length + modified.length;
  return {
    id: `${resultIdOf(row)}:drift`,
    eventType: "check.mcp_schema_drift",
    ...fieldsOfResult(row),
    severity: "warning",
    summary:
      total > 0
        ? `${row.checkName}: ${added.length} tools added, ${removed.length} removed, ${modified.length} modified`
        : `${row.checkName}: the MCP server changed (${server.join(", ")})`,
    attributes: {
      [ATTR.driftAddedCount]: added.length,
      [ATTR.driftRemovedCount]: removed.length,
      [ATTR.driftModifiedCount]: modified.length,
      [ATTR.driftTotalCount]: total,
      [ATTR.driftAddedTools]: added.slice(0, TOOLS_LISTED_MAX),
      [ATTR.driftRemovedTools]: removed.slice(0, TOOLS_LISTED_MAX),
      [ATTR.driftModifiedTools]: modified.slice(0, TOOLS_LISTED_MAX),
    },
  };
}
