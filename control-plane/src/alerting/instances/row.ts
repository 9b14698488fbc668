/** Instance rows, and how the API shows them. */
import type {
  AlertInstance,
  AlertInstanceId,
  AlertInstanceSummary,
  AlertRuleId,
  CheckId,
  TeamId,
} from "@svc/contract";
import type { AlertContext, EvaluatedRule, MutedBy } from "../evaluation/transitions.ts";
import { type HoldColumns, heldBackOf } from "./held-back.ts";

/** A row of `alert_instances` with its rule's and its check's name. */
export interface InstanceDetailRow
  extends Omit<AlertInstance, "durationMs" | "contextJson" | "muted" | "heldBack">,
    HoldColumns {
  id: AlertInstanceId;
  ruleId: AlertRuleId;
  /** null: of a rule without a check, which an SLO of a third party generated. */
  checkId: CheckId | null;
  teamId: TeamId;
  ruleKey: number;
  checkKey: number | null;
  /** The SLO that generated the rule; null: a person wrote it, or the SLO was deleted. */
  sloKey: number | null;
  /** Channels of the rule. */
  channelIds: EvaluatedRule["channelIds"];
  wasAnnounced: boolean;
  mutedBy: MutedBy | null;
  hasUnannouncedEscalation: boolean;
  context: AlertContext;
}

/** Returns an instance as lists show it. */
export function summaryFromRow(row: InstanceDetailRow): AlertInstanceSummary {
  return {
    id: row.id,
    ruleId: row.ruleId,
    checkId: row.checkId,
    state: row.state,
    severity: row.severity,
    startedAt: row.startedAt,
    acknowledgedAt: row.acknowledgedAt,
    recoveredAt: row.recoveredAt,
    resolvedAt: row.resolvedAt,
    durationMs: durationOf(row),
    notificationCount: row.notificationCount,
    contextJson: { ...row.context },
    muted: row.mutedBy !== null,
    ruleName: row.ruleName,
    checkName: row.checkName,
    ...heldBackOf(row),
  };
}

/** Returns an instance as the API answers it alone. */
export function instanceFromRow(row: InstanceDetailRow): AlertInstance {
  return {
    ...summaryFromRow(row),
    teamId: row.teamId,
    triggeringResultId: row.triggeringResultId,
    triggeringTraceId: row.triggeringTraceId,
    recoveryResultId: row.recoveryResultId,
    acknowledgedBy: row.acknowledgedBy,
    acknowledgedByName: row.acknowledgedByName,
    mutedUntil: row.mutedUntil,
  };
}

/** True when the instance is active or acknowledged: results may still change it. */
export function isOpen({ state }: Pick<InstanceDetailRow, "state">): boolean {
  return state === "active" || state === "acknowledged";
}

/** Returns the time from start to end in ms; null while the instance is open. */
export function durationOf({
  startedAt,
  recoveredAt,
  resolvedAt,
}: Pick<InstanceDetailRow, "startedAt" | "recoveredAt" | "resolvedAt">): number | null {
  const endedAt = recoveredAt ?? resolvedAt;
  return endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}
