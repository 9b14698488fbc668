import { type AlertRuleId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { type RuleWithoutChannels, ruleFromRow } from "./row.ts";
import { findRuleRow, readCheckId, readPolicyIds, readSloIds } from "./store.ts";

/**
 * Returns an alert rule, also one that an SLO or a policy generated for its check.
 * @throws DomainError `not_found` when the team has no such rule
 */
export async function getRule(
  { services: { knex }, teamId }: TeamContext,
  { id }: { id: AlertRuleId },
): Promise<RuleWithoutChannels> {
  const row = await findRuleRow(knex, teamId, id);
  const checkId = row?.checkKey == null ? undefined : await readCheckId(knex, row.checkKey);
  if (!row || !checkId) throw notFound("Alert rule");
  const sloIds = row.sloKey === null ? undefined : await readSloIds(knex, [row.sloKey]);
  const policyIds = row.policyKey === null ? undefined : await readPolicyIds(knex, [row.policyKey]);
  return ruleFromRow(row, {
    checkId,
    sloId: sloIds?.get(row.sloKey ?? -1) ?? null,
    policyId: policyIds?.get(row.policyKey ?? -1) ?? null,
  });
}
