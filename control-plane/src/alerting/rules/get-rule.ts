import { type AlertRuleId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { type RuleWithoutChannels, ruleFromRow } from "./row.ts";
import { findRuleRow, readCheckId, readSloIds } from "./store.ts";

/**
 * Returns an alert rule, also one that an SLO generated for its check.
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
  return ruleFromRow(row, { checkId, sloId: sloIds?.get(row.sloKey ?? -1) ?? null });
}
