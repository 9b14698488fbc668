/** Instance rows and what the API shows of them. */
import type { AlertInstance, AlertInstanceSummary, CheckId, TeamId } from "@svc/contract";
import type { EvaluatedRule, OpenInstance } from "../evaluation/transitions.ts";

/** A row of `alert_instances` with the names that are shown with it. */
export interface InstanceDetailRow
  extends Omit<AlertInstance, "durationMs" | "contextJson" | "muted" | "teamId" | "checkId"> {
  teamId: TeamId;
  checkId: CheckId;
  ruleKey: number;
  checkKey: number;
  channelIds: EvaluatedRule["channelIds"];
  wasAnnounced: boolean;
  mutedBy: "user" | "window" | null;
  hasUntoldEscalation: boolean;
  context: OpenInstance["context"];
}

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
  };
}

export function instanceFromRow(row: InstanceDetailRow): AlertInstance {
  return {
    ...summaryFromRow(row),
    teamId: row.teamId,
    triggeringResultId: row.triggeringResultId,
    triggeringTraceId: row.triggeringTraceId,
    recoveryResultId: row.recoveryResultId,
    acknowledgedBy: row.acknowledgedBy,
    mutedUntil: row.mutedUntil,
  };
}

/** From start to end, ms; null while it lasts. */
export function durationOf({
  startedAt,
  recoveredAt,
  resolvedAt,
}: Pick<InstanceDetailRow, "startedAt" | "recoveredAt" | "resolvedAt">): number | null {
  const endedAt = recoveredAt ?? resolvedAt;
  return endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}
