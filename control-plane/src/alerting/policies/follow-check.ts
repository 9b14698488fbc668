import { hasPolicyLabels, newId, refusePolicy } from "@svc/contract";
import type { Knex } from "knex";
import { readLabels } from "../../checks/labels/store.ts";
import type { CheckModel } from "../../checks/row.ts";
import type { AlertPolicyModel } from "./row.ts";
import { endRulesOfCheck, type GeneratedRule, readGeneratedRules, writeRules } from "./rule-store.ts";
import { readPolicies } from "./store.ts";

/**
 * Gives the check the rules of the policies whose labels it has, and ends the others. Call it in the transaction that changed the
 * check's labels or configuration, which holds `sharePoliciesOfTeam`.
 */
export async function followCheck(trx: Knex, check: CheckModel, atMs: number): Promise<void> {
  const policies = await readPolicies(trx, check.teamId);
  if (policies.length === 0) return;
  const labels = await readLabels(trx, check.key);
  const present = new Map<number, GeneratedRule>(
    (await readGeneratedRules(trx, check.key)).map((rule) => [rule.policyKey, rule]),
  );
  const holding = policies.filter((policy) => policy.enabled && hasPolicyLabels(policy.labels, labels));
  for (const policy of holding) {
    const isActive = refusePolicy(policy.conditions, check) === undefined;
    if (follows(policy, present.get(policy.key), isActive)) continue;
    const rule = { id: newId("alertRule"), checkKey: check.key, isActive };
    await writeRules(trx, policy, { rules: [rule], atMs });
  }
  const isHolding = new Set(holding.map(({ key }) => key));
  const policyKeys = [...present.values()]
    .filter(({ policyKey, isActive }) => isActive && !isHolding.has(policyKey))
    .map(({ policyKey }) => policyKey);
  await endRulesOfCheck(trx, { checkKey: check.key, policyKeys, atMs });
}

function follows(
  { revision }: AlertPolicyModel,
  rule: GeneratedRule | undefined,
  isActive: boolean,
): boolean {
  return rule !== undefined && rule.policyRevision === revision && rule.isActive === isActive;
}
