/** Converts changes of alert instances to log records. Pure. */
import type {
  AlertEventType,
  AlertInstanceId,
  AlertRuleId,
  AlertState,
  CheckId,
  Severity,
} from "@svc/contract";
import { ATTR, SERVICE_NAME } from "./attributes.ts";
import { labelAttributes } from "./check-resource.ts";
import { type LogRecord, logRecord, resourceOf } from "./otlp.ts";

/** An event that changed an instance's state or severity, with the present names of its rule and check. */
export interface ExportedAlertEvent {
  id: string;
  type: AlertEventType;
  state: AlertState;
  severity: Severity;
  actorId: string | null;
  summary: string | null;
  createdAtMs: number;
  instanceId: AlertInstanceId;
  traceId: string | null;
  ruleId: AlertRuleId;
  ruleName: string | null;
  /** null, with its name: the alert is about no check. */
  checkId: CheckId | null;
  checkName: string | null;
  labels: readonly string[];
}

/** Returns the log record of a transition of an alert; severity info once the alert is over. */
export function alertRecord(event: ExportedAlertEvent): LogRecord {
  const hasEnded = event.state === "recovered" || event.state === "resolved";
  return logRecord({
    eventName: "synthetics.alert.state_changed",
    severity: hasEnded ? "info" : event.severity,
    atMs: event.createdAtMs,
    observedAtMs: event.createdAtMs,
    traceId: event.traceId,
    body: `${event.ruleName ?? event.checkName}: ${event.type}${event.summary ? `: ${event.summary}` : ""}`,
    resource: resourceOf({
      [ATTR.serviceName]: SERVICE_NAME,
      [ATTR.checkId]: event.checkId,
      // The name is always there: without a check that of the rule.
      [ATTR.checkName]: event.checkName ?? event.ruleName,
      ...labelAttributes(event.labels),
    }),
    attributes: {
      [ATTR.alertInstanceId]: event.instanceId,
      [ATTR.alertRuleId]: event.ruleId,
      [ATTR.alertRuleName]: event.ruleName,
      [ATTR.alertEventType]: event.type,
      [ATTR.alertState]: event.state,
      [ATTR.alertSeverity]: event.severity,
      [ATTR.alertActor]: event.actorId,
      [ATTR.alertSummary]: event.summary,
    },
  });
}
