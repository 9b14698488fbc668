/** SQL by which the evaluation reads the rules of SLOs that are about third parties, with the open instance of each. */
import type { SloId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { EvaluatedRule, OpenInstance } from "./transitions.ts";

/** An active rule of an SLO that is about a third party, and what its burn rates are counted from. */
export interface SloRule
  extends Omit<EvaluatedRule, "conditions" | "checkKey" | "confirm" | "recoverySuccesses"> {
  sloKey: number;
  sloId: SloId;
  patternKey: number;
  targetBasisPoints: number;
  /** The rule's conditions as JSON. */
  conditionsJson: string;
  /** The rule's open instance as JSON; null: it has none. */
  openJson: string | null;
}

/** Returns the keys of the active SLOs of all teams that have rules without a check, after `afterKey`, in ascending order. */
export async function readSlosWithRules(
  db: Knex,
  { afterKey, limit }: { afterKey: number; limit: number },
): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    db,
    `SELECT DISTINCT s.key FROM alert_rules r JOIN slos s ON s.key = r.slo_key
     WHERE r.check_key IS NULL AND r.enabled AND r.deleted_at IS NULL AND s.enabled AND s.key > ? ORDER BY 1 LIMIT ?`,
    [afterKey, limit],
  );
  return rows.map(({ key }) => key);
}

/** Returns the active rules of these SLOs. Call it under the locks of the SLOs. */
export function readSloRules(trx: Knex, sloKeys: readonly number[]): Promise<SloRule[]> {
  return queryRows(
    trx,
    `SELECT r.key, r.id, r.team_id, r.name, r.channel_ids, r.conditions::text AS conditions_json, s.key AS slo_key,
       s.id AS slo_id, s.target_basis_points, p.key AS pattern_key,
       (SELECT json_build_object('id', i.id, 'ruleKey', i.rule_key, 'checkKey', NULL, 'state', i.state,
           'severity', i.severity, 'startedAtMs', (extract(epoch FROM i.started_at) * 1000)::bigint,
           'wasAnnounced', i.was_announced, 'mutedBy', i.muted_by, 'isHeld', false,
           'hasUnannouncedEscalation', i.has_untold_escalation,
           'triggeringTraceId', i.triggering_trace_id, 'context', i.context)::text
        FROM alert_instances i WHERE i.rule_key = r.key AND i.state IN ('active', 'acknowledged')) AS open_json
     FROM alert_rules r JOIN slos s ON s.key = r.slo_key JOIN third_party_patterns p ON p.id = s.pattern_id
     WHERE s.key = ANY(?) AND r.check_key IS NULL AND r.enabled AND r.deleted_at IS NULL AND s.enabled ORDER BY r.key`,
    [[...sloKeys]],
  );
}

/** Returns the open instance of a rule. */
export function openInstanceOf({ openJson }: SloRule): OpenInstance | undefined {
  return openJson === null ? undefined : (JSON.parse(openJson) as OpenInstance);
}
