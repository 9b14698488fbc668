/** Feed events of alerts: `alert.*`, one for each event of an alert instance. */
import { type AlertEventType, type FeedEvent, type FeedEventType, feedEventTypes } from "@svc/contract";
import { ATTR } from "../../records/attributes.ts";
import { FEED_ATTR } from "../attributes.ts";
import { type FeedAlertRow, readFeedAlerts } from "../store.ts";
import type { FeedSource } from "./feed-source.ts";
import { summaryText } from "./result-event.ts";

const PREFIX = "alert.";

/** Reads the newest events of alert instances. */
export const alertSource: FeedSource = {
  type: "alerts",
  eventTypes: feedEventTypes.types.filter((type) => type.startsWith(PREFIX)),
  readNewest: async (db, request, wanted) => {
    const types = [...wanted].map((type) => type.slice(PREFIX.length) as AlertEventType);
    const rows = await readFeedAlerts(db, request, types);
    return rows.map((row) => ({ createdAtMs: row.createdAtMs, event: alertEvent(row) }));
  },
};

function alertEvent(row: FeedAlertRow): FeedEvent {
  const { summary, ...details } = row.detail ?? {};
  const { channelType } = details;
  const said = String(summary ?? row.context?.summary ?? "");
  const hasContext = row.type === "triggered" || row.type === "escalated";
  return {
    id: row.id,
    eventType: `${PREFIX}${row.type}` as FeedEventType,
    timestamp: new Date(row.createdAtMs).toISOString(),
    checkId: row.checkId,
    checkName: row.checkName,
    checkType: row.checkType,
    severity: row.severity,
    traceId: row.triggeringTraceId,
    summary: summaryText(`${row.ruleName ?? row.checkName}: alert ${row.type}${said ? `: ${said}` : ""}`),
    resourceAttributes: {
      [ATTR.alertInstanceId]: row.instanceId,
      [ATTR.alertRuleId]: row.ruleId,
      [ATTR.alertRuleName]: row.ruleName,
      ...(row.checkId === null ? {} : { [ATTR.checkId]: row.checkId, [ATTR.checkName]: row.checkName }),
    },
    attributes: {
      [ATTR.alertState]: row.state,
      [ATTR.alertSeverity]: row.severity,
      [ATTR.alertEventType]: row.type,
      ...(row.actorId === null ? {} : { [ATTR.alertActor]: row.actorId }),
      ...(typeof channelType === "string" ? { [FEED_ATTR.alertChannelType]: channelType } : {}),
      ...(hasContext ? { [FEED_ATTR.alertContext]: row.context } : {}),
      ...(Object.keys(details).length > 0 ? { [FEED_ATTR.alertDetails]: details } : {}),
    },
  };
}
