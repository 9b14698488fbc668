/** Alerts as tools answer them. */
import type { AlertInstance, AlertInstanceEvent, AlertInstanceSummary } from "@svc/contract";
import { untrusted } from "../answers/untrusted.ts";

/** Returns an alert as a list has it. */
export function alertLine(alert: AlertInstanceSummary): Record<string, unknown> {
  const { id, state, severity, muted, ruleName, checkId, checkName, startedAt, notificationCount } = alert;
  const { acknowledgedAt, recoveredAt, resolvedAt } = alert;
  return {
    id,
    state,
    severity,
    ...(muted && { muted }),
    checkId,
    checkName,
    ruleName,
    startedAt,
    ...(acknowledgedAt && { acknowledgedAt }),
    ...(recoveredAt && { recoveredAt }),
    ...(resolvedAt && { resolvedAt }),
    notificationCount,
  };
}

/** Returns an alert with its history and with what made it fire. */
export function alertView(
  alert: AlertInstance,
  events: readonly AlertInstanceEvent[],
): Record<string, unknown> {
  const { ruleId, triggeringResultId, recoveryResultId, acknowledgedByName, mutedUntil, contextJson } = alert;
  return {
    ...alertLine(alert),
    ruleId,
    triggeringResultId,
    recoveryResultId,
    acknowledgedByName,
    mutedUntil,
    events: events.map(({ type, actorName, createdAt }) => ({ type, by: actorName, at: createdAt })),
    ...untrusted({ firedBy: contextJson }),
  };
}
