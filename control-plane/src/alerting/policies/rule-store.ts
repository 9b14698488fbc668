/**
 * SQL of the rules that alert policies generate: one row for each (policy, check), which is kept while the policy is there. A row
 * whose rule has ended keeps its channels until what is open of it is resolved (`end-rules.ts`), since they are notified of that.
 */
import type { AlertRuleId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { AlertPolicyModel } from "./row.ts";

/** A check that is to have a rule of a policy, or that can have none. */
export interface RuleOfCheck {
  /** Id of the rule, unless the check has one of the policy already. */
  id: AlertRuleId;
  checkKey: number;
  /** False: a condition can never hold for the check, which the row records. */
  isActive: boolean;
}

/** Makes the rules of these checks follow the policy's newest revision. */
export async function writeRules(
  trx: Knex,
  policy: AlertPolicyModel,
  { rules, atMs }: { rules: readonly RuleOfCheck[]; atMs: number },
): Promise<void> {
  if (rules.length === 0) return;
  await trx.raw(
    `INSERT INTO alert_rules AS r (id, team_id, check_key, policy_key, policy_revision, name, enabled, conditions,
       channel_ids, confirm, recovery_successes, created_at, deleted_at)
     SELECT w.id, :teamId, w.check_key, :key, :revision, :name, w.is_active, CAST(:conditions AS jsonb),
       CASE WHEN w.is_active THEN CAST(:channelIds AS text[]) ELSE '{}' END, :confirm, :recoverySuccesses,
       CAST(:at AS timestamptz), CASE WHEN w.is_active THEN NULL ELSE CAST(:at AS timestamptz) END
     FROM unnest(CAST(:ids AS text[]), CAST(:checkKeys AS bigint[]), CAST(:active AS boolean[]))
       AS w (id, check_key, is_active)
     ON CONFLICT (policy_key, check_key) DO UPDATE SET
       policy_revision = excluded.policy_revision, name = excluded.name, enabled = excluded.enabled,
       conditions = excluded.conditions, confirm = excluded.confirm, recovery_successes = excluded.recovery_successes,
       channel_ids = CASE WHEN excluded.enabled THEN excluded.channel_ids ELSE r.channel_ids END,
       deleted_at = excluded.deleted_at, updated_at = CAST(:at AS timestamptz),
       revision = r.revision + 1, changed_xid = pg_current_xact_id()`,
    {
      key: policy.key,
      teamId: policy.teamId,
      revision: policy.revision,
      name: policy.name,
      conditions: JSON.stringify(policy.conditions),
      channelIds: policy.channelIds,
      confirm: policy.confirm,
      recoverySuccesses: policy.recoverySuccesses,
      at: new Date(atMs),
      ids: rules.map(({ id }) => id),
      checkKeys: rules.map(({ checkKey }) => checkKey),
      active: rules.map(({ isActive }) => isActive),
    },
  );
}

const ENDED = `enabled = false, deleted_at = CAST(:at AS timestamptz), revision = revision + 1,
  changed_xid = pg_current_xact_id()`;

/**
 * Ends rules of the policy that don't follow its newest revision: their checks lack a label by now. Call it when the rules of all
 * others follow.
 * @returns the number of rules that were ended, at most `rowsMax`
 */
export async function endRulesBehind(
  trx: Knex,
  { key, revision }: AlertPolicyModel,
  { rowsMax, atMs }: { rowsMax: number; atMs: number },
): Promise<number> {
  const ended = await queryRows(
    trx,
    `UPDATE alert_rules SET ${ENDED} WHERE key IN (
       SELECT key FROM alert_rules WHERE policy_key = :key AND deleted_at IS NULL AND policy_revision <> :revision
       ORDER BY key LIMIT :rowsMax)
     RETURNING 1`,
    { key, revision, rowsMax, at: new Date(atMs) },
  );
  return ended.length;
}

/** Ends the check's rules of these policies. */
export async function endRulesOfCheck(
  trx: Knex,
  { checkKey, policyKeys, atMs }: { checkKey: number; policyKeys: readonly number[]; atMs: number },
): Promise<void> {
  if (policyKeys.length === 0) return;
  await trx.raw(
    `UPDATE alert_rules SET ${ENDED}
     WHERE check_key = :checkKey AND policy_key = ANY(CAST(:policyKeys AS bigint[])) AND deleted_at IS NULL`,
    { checkKey, policyKeys: [...policyKeys], at: new Date(atMs) },
  );
}

/** A rule of a policy that a check has or had. */
export interface GeneratedRule {
  policyKey: number;
  policyRevision: number;
  isActive: boolean;
}

/** Returns the rules that policies have generated for the check, ended ones included. */
export function readGeneratedRules(trx: Knex, checkKey: number): Promise<GeneratedRule[]> {
  return queryRows(
    trx,
    `SELECT policy_key, policy_revision, deleted_at IS NULL AS is_active FROM alert_rules
     WHERE check_key = ? AND policy_key IS NOT NULL`,
    [checkKey],
  );
}

/** A rule that has ended, of which something may be open. */
export interface EndedRule {
  key: number;
  checkKey: number;
}

/** Returns rules that have ended and still have their channels, oldest first. */
export function readEndedRules(db: Knex, rowsMax: number): Promise<EndedRule[]> {
  return queryRows(
    db,
    `SELECT key, check_key FROM alert_rules WHERE deleted_at IS NOT NULL AND channel_ids <> '{}'
     ORDER BY key LIMIT ?`,
    [rowsMax],
  );
}

/** Returns the keys of those of the rules that are still ended, and locks them until the transaction ends. */
export async function lockEndedRules(trx: Knex, keys: readonly number[]): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    trx,
    `SELECT key FROM alert_rules WHERE key = ANY(?) AND deleted_at IS NOT NULL AND channel_ids <> '{}'
     ORDER BY key FOR UPDATE`,
    [[...keys]],
  );
  return rows.map(({ key }) => key);
}

/** Takes the channels from rules of which nothing is open any more. */
export async function releaseChannels(trx: Knex, keys: readonly number[]): Promise<void> {
  await trx.raw("UPDATE alert_rules SET channel_ids = '{}' WHERE key = ANY(?)", [[...keys]]);
}

/** Removes deleted policies whose rules have all ended, with nothing open of them. */
export async function removeDeletedPolicies(db: Knex): Promise<void> {
  await db.raw(
    `DELETE FROM alert_policies p WHERE p.deleted_at IS NOT NULL AND p.is_applied AND NOT EXISTS (
       SELECT FROM alert_rules r WHERE r.policy_key = p.key AND r.channel_ids <> '{}')`,
  );
}

/** Returns policies whose rules don't all follow: one of a team, of teams by chance, so that none waits for another's many. */
export async function readPoliciesToApply(db: Knex, rowsMax: number): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    db,
    `SELECT key FROM (
       SELECT DISTINCT ON (team_id) key FROM alert_policies WHERE NOT is_applied ORDER BY team_id, key) p
     ORDER BY random() LIMIT ?`,
    [rowsMax],
  );
  return rows.map(({ key }) => key);
}
