/** Makes the notification about an instance at the moment of an event. Pure. */
import { type AlertInstanceId, oneLine, type Severity, truncate } from "@svc/contract";
import type { AlertNotification, AlertNotificationKind } from "../../outbox/payload.ts";
import type { AlertContext, EvaluatedRule } from "../evaluation/transitions.ts";
import type { AlertCheck } from "../inputs/alert-check.ts";

/** An event of an instance that channels are notified of. */
export interface NotificationInput {
  kind: AlertNotificationKind;
  instance: {
    id: AlertInstanceId;
    severity: Severity;
    startedAtMs: number;
    triggeringTraceId: string | null;
    context: AlertContext;
  };
  rule: Pick<EvaluatedRule, "id" | "name" | "teamId" | "channelIds">;
  /** null: the rule has no check. */
  check: Pick<AlertCheck, "id" | "name" | "type" | "targetUrl"> | null;
  atMs: number;
  actorId?: string | null;
}

/** Returns the notification for the channels of the rule. */
export function notificationOf(input: NotificationInput): AlertNotification {
  const { kind, instance, rule, check, atMs, actorId } = input;
  const { context } = instance;
  const isEnd = kind === "recovered" || kind === "resolved";
  return {
    teamId: rule.teamId,
    channelIds: rule.channelIds,
    kind,
    instanceId: instance.id,
    payload: {
      rule: { id: rule.id, name: rule.name },
      check: check && { id: check.id, name: check.name, type: check.type },
      severity: instance.severity,
      summary: truncate(
        oneLine(summaryOf(kind, check?.name ?? rule.name ?? "SLO", context)),
        SUMMARY_LENGTH_MAX,
      ),
      startedAt: new Date(instance.startedAtMs).toISOString(),
      occurredAt: new Date(atMs).toISOString(),
      durationMs: isEnd ? Math.max(0, atMs - instance.startedAtMs) : null,
      context: { ...context },
      targetUrl: withoutCredentials(check?.targetUrl ?? null),
      locations: [...context.locations],
      traceId: instance.triggeringTraceId,
      ...(actorId !== undefined && { actorId }),
    },
  };
}

function summaryOf(kind: AlertNotificationKind, subject: string, context: AlertContext): string {
  const detail = context.errorMessage ? `${context.summary} (${context.errorMessage})` : context.summary;
  if (kind === "recovered") return `${subject} recovered: ${context.summary} is over`;
  if (kind === "resolved") return `${subject} was resolved: ${context.summary}`;
  if (kind === "acknowledged") return `${subject} was acknowledged: ${context.summary}`;
  return `${subject}: ${detail}`;
}

const SUMMARY_LENGTH_MAX = 500;

/** Returns the URL without its credentials and without its query, which may hold some. */
function withoutCredentials(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
