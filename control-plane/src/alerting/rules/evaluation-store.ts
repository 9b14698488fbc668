/** SQL by which the evaluation learns of rules. */
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { EvaluatedRule } from "../evaluation/transitions.ts";

/** A rule that was created, changed or deleted, as it is now. */
export interface ChangedRule extends Omit<EvaluatedRule, "conditions" | "checkKey"> {
  checkKey: number;
  revision: number;
  /** True when the rule is enabled and not deleted. */
  isActive: boolean;
  conditionsJson: string;
}

/**
 * Rules that changed and checks with an open instance or pending confirmation, as of one snapshot. Read before an
 * evaluation looks at results.
 */
export interface RuleChanges {
  /** Transaction id (xid8 as text) to read on from the next time. */
  horizon: string;
  /** Rules that changed in a transaction at or after `since`. */
  rules: ChangedRule[];
  /** Keys of the checks asked about that have an open instance or a pending confirmation. */
  checksInProgress: number[];
}

/**
 * Returns the rules of checks that changed since a horizon. One statement, because the transaction of every result makes it.
 * @param since a horizon of an earlier call; "0" returns every rule
 */
export async function readRuleChanges(
  db: Knex,
  since: string,
  checkKeys: readonly number[],
): Promise<RuleChanges> {
  const keys = `{${checkKeys.join(",")}}`;
  const rows = await queryRows<ChangedRule & { horizon: string; inProgress: number[] | null }>(
    db,
    // The keys are rows, not a list in the conditions: over a list of hundreds the planner takes longer than the read.
    `WITH asked AS MATERIALIZED (SELECT unnest(?::bigint[]) AS key)
     SELECT one.horizon, one.in_progress, r.key, r.id, r.check_key, r.team_id, r.name,
       r.conditions::text AS conditions_json, r.channel_ids, r.confirm, r.recovery_successes, r.revision,
       r.enabled AND r.deleted_at IS NULL AS is_active
     FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
             (SELECT json_agg(check_key) FROM (
                SELECT check_key FROM alert_instances
                  WHERE state IN ('active', 'acknowledged') AND check_key IN (SELECT key FROM asked)
                UNION SELECT check_key FROM alert_confirmations WHERE check_key IN (SELECT key FROM asked)) u)
             AS in_progress) AS one
     LEFT JOIN alert_rules r ON r.changed_xid >= ?::text::xid8 AND r.check_key IS NOT NULL`,
    [keys, since],
  );
  const [first] = rows;
  return {
    horizon: first?.horizon ?? since,
    checksInProgress: first?.inProgress ?? [],
    rules: rows.filter(({ key }) => key !== null).map(({ horizon, inProgress, ...rule }) => rule),
  };
}

/** A page of the checks that have rules with such conditions, in the order of their keys. */
export interface ConditionsPage {
  /** Types of conditions. */
  types: readonly string[];
  /** The page begins after this check key. */
  afterKey: number;
  limit: number;
}

/** Returns the keys of enabled checks with an enabled rule that has a condition of one of the types, in ascending order. */
export async function readChecksWithConditions(
  db: Knex,
  { types, afterKey, limit }: ConditionsPage,
): Promise<number[]> {
  const rows = await queryRows<{ checkKey: number }>(
    db,
    `SELECT DISTINCT r.check_key FROM alert_rules r JOIN checks c ON c.key = r.check_key
     WHERE r.enabled AND r.deleted_at IS NULL AND c.enabled AND r.check_key > ?
       AND EXISTS (SELECT FROM jsonb_array_elements(r.conditions) AS e WHERE e ->> 'type' = ANY(?))
     ORDER BY 1 LIMIT ?`,
    [afterKey, types, limit],
  );
  return rows.map(({ checkKey }) => checkKey);
}
