/** What channels are told about an instance, at the moment when it happens. */
import type { AlertInstanceId, AlertRuleId, ChannelId, CheckId, CheckType, Severity } from "@svc/contract";
import { oneLine, truncate } from "@svc/contract";
import type { AlertNotification, AlertNotificationKind } from "../../outbox/payload.ts";
import type { AlertContext, EvaluatedRule } from "../evaluation/transitions.ts";
import type { AlertCheckRow } from "../inputs/result-store.ts";

export interface Occurrence {
  kind: AlertNotificationKind;
  instance: {
    id: string;
    severity: Severity;
    startedAtMs: number;
    triggeringTraceId: string | null;
    context: AlertContext;
  };
  rule: Pick<EvaluatedRule, "id" | "name" | "teamId" | "channelIds">;
  check: Pick<AlertCheckRow, "id" | "name" | "type" | "targetUrl">;
  atMs: number;
  /** When the instance ended with it. */
  isEnd: boolean;
  actorId?: string | null;
}

export function notificationOf({
  kind,
  instance,
  rule,
  check,
  atMs,
  isEnd,
  actorId,
}: Occurrence): AlertNotification {
  const { context } = instance;
  return {
    teamId: rule.teamId,
    channelIds: rule.channelIds as readonly ChannelId[],
    kind,
    instanceId: instance.id as AlertInstanceId,
    payload: {
      rule: { id: rule.id as AlertRuleId, name: rule.name },
      check: { id: check.id as CheckId, name: check.name, type: check.type as CheckType },
      severity: instance.severity,
      summary: truncate(oneLine(summaryOf(kind, check.name, context)), SUMMARY_LENGTH_MAX),
      startedAt: new Date(instance.startedAtMs).toISOString(),
      occurredAt: new Date(atMs).toISOString(),
      durationMs: isEnd ? Math.max(0, atMs - instance.startedAtMs) : null,
      context: { ...context },
      targetUrl: publicUrl(check.targetUrl),
      locations: [...context.locations],
      traceId: instance.triggeringTraceId,
      ...(actorId === undefined ? {} : { actorId }),
    },
  };
}

function summaryOf(kind: AlertNotificationKind, checkName: string, context: AlertContext): string {
  const detail = context.errorMessage ? `${context.summary} (${context.errorMessage})` : context.summary;
  if (kind === "recovered") return `${checkName} recovered: ${context.summary} is over`;
  if (kind === "resolved") return `${checkName} was resolved: ${context.summary}`;
  if (kind === "acknowledged") return `${checkName} was acknowledged: ${context.summary}`;
  return `${checkName}: ${detail}`;
}

const SUMMARY_LENGTH_MAX = 500;

/** Without credentials and without the query, which may hold some. */
function publicUrl(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
