/** SQL by which the evaluation writes instances: set-based, because a storm opens thousands in one transaction. */
import type { AlertInstanceId, AlertState, ResultId, Severity, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { AlertContext, MutedBy } from "../evaluation/transitions.ts";

/** An instance as the evaluation stores it. Instants are Unix ms of the control plane's clock. */
export interface InstanceRow {
  id: AlertInstanceId;
  teamId: TeamId;
  ruleKey: number;
  checkKey: number;
  state: AlertState;
  severity: Severity;
  triggeringResultId: ResultId | null;
  triggeringTraceId: string | null;
  startedAtMs: number;
  recoveredAtMs: number | null;
  recoveryResultId: ResultId | null;
  wasAnnounced: boolean;
  mutedBy: MutedBy | null;
  /** True when its severity rose while it was muted, after its trigger was announced. */
  hasUnannouncedEscalation: boolean;
  context: AlertContext;
}

/** SQL of a column of Unix ms as a timestamp. */
export const timestampOf = (column: string) => `to_timestamp(${column} / 1000.0)`;

/** Inserts new instances. */
export async function insertInstances(trx: Knex, rows: readonly InstanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO alert_instances (id, team_id, rule_key, check_key, state, severity, triggering_result_id,
       triggering_trace_id, started_at, recovered_at, recovery_result_id, was_announced, muted_by, context)
     SELECT id, "teamId", "ruleKey", "checkKey", state, severity, "triggeringResultId", "triggeringTraceId",
       ${timestampOf('"startedAtMs"')}, ${timestampOf('"recoveredAtMs"')}, "recoveryResultId", "wasAnnounced",
       "mutedBy", context
     FROM json_to_recordset(?::json) AS u (id text, "teamId" text, "ruleKey" bigint, "checkKey" bigint, state text,
       severity text, "triggeringResultId" text, "triggeringTraceId" text, "startedAtMs" bigint, "recoveredAtMs" bigint,
       "recoveryResultId" text, "wasAnnounced" boolean, "mutedBy" text, context jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** Updates the columns that a transition may change in instances that are stored already. */
export async function updateInstances(trx: Knex, rows: readonly InstanceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE alert_instances i SET state = u.state, severity = u.severity,
       recovered_at = ${timestampOf('u."recoveredAtMs"')}, recovery_result_id = u."recoveryResultId",
       muted_by = u."mutedBy", has_untold_escalation = u."hasUnannouncedEscalation", context = u.context
     FROM json_to_recordset(?::json) AS u (id text, state text, severity text, "recoveredAtMs" bigint,
       "recoveryResultId" text, "mutedBy" text, "hasUnannouncedEscalation" boolean, context jsonb)
     WHERE i.id = u.id`,
    [JSON.stringify(rows)],
  );
}
