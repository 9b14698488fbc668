/**
 * The alert rules that an SLO generates: one per pace, with the SLO's name, channels and check (no check for a third party), enabled while the SLO
 * is. They follow the SLO in the transaction of each change, under its lock. A rule needs a channel to notify, so an
 * SLO without channels has none.
 */
import { isDeepStrictEqual } from "node:util";
import { newId } from "@svc/contract";
import type { Knex } from "knex";
import { burnRateCondition } from "../conditions/burn-rate.ts";
import { resolveInstancesOfRule } from "../instances/resolve-open-instances.ts";
import type { AlertRuleModel } from "../rules/row.ts";
import { insertRuleRow, listRuleRowsOfSlo, markRuleDeleted, patchRuleRow } from "../rules/store.ts";
import { PACES, type Pace } from "./burn-rate.ts";
import type { SloModel } from "./row.ts";

/** Creates, changes or deletes the generated rules so that they match the SLO. Harmless to repeat. */
export async function syncGeneratedRules(trx: Knex, slo: SloModel, atMs: number): Promise<void> {
  const { checkKey } = slo;
  if (!slo.burnRateAlertsEnabled || slo.channelIds.length === 0)
    return deleteGeneratedRules(trx, slo.key, {
      reason: "the SLO generates no alerts any more",
      atMs,
    });
  const present = await listRuleRowsOfSlo(trx, slo.key);
  for (const pace of PACES) {
    const rule = present.find(({ sloPace }) => sloPace === pace.name);
    const fields = fieldsOf(slo, pace);
    if (rule && rule.checkKey === checkKey) {
      await updateRule(trx, rule, { fields, atMs });
      continue;
    }
    if (rule) await deleteRule(trx, rule, { reason: "the SLO is about another check now", atMs });
    await insertRuleRow(trx, {
      ...fields,
      id: newId("alertRule"),
      teamId: slo.teamId,
      checkKey,
      sloKey: slo.key,
      sloPace: pace.name,
      createdAt: new Date(atMs).toISOString(),
    });
  }
}

/** Why and when rules are deleted. */
interface Deletion {
  /** For the history of the instances that are resolved. */
  reason: string;
  atMs: number;
}

/** Deletes the rules that the SLO generated and resolves their open instances. */
export async function deleteGeneratedRules(trx: Knex, sloKey: number, deletion: Deletion): Promise<void> {
  for (const rule of await listRuleRowsOfSlo(trx, sloKey)) await deleteRule(trx, rule, deletion);
}

/** The fields of a generated rule that follow its SLO. */
type FollowingFields = Pick<AlertRuleModel, "name" | "enabled" | "conditions" | "channelIds">;

function fieldsOf({ id, name, enabled, channelIds }: SloModel, pace: Pace): FollowingFields {
  return {
    name: `${name}: ${pace.name} burn`,
    enabled,
    conditions: [burnRateCondition(id, pace)],
    channelIds,
  };
}

async function updateRule(
  trx: Knex,
  rule: AlertRuleModel,
  { fields, atMs }: { fields: FollowingFields; atMs: number },
): Promise<void> {
  const { key, name, enabled, conditions, channelIds } = rule;
  if (isDeepStrictEqual({ name, enabled, conditions, channelIds }, fields)) return;
  if (enabled && !fields.enabled)
    await resolveInstancesOfRule(trx, { ruleKey: key, reason: "the SLO was switched off", atMs });
  await patchRuleRow(trx, key, { ...fields, updatedAt: new Date(atMs).toISOString() });
}

async function deleteRule(trx: Knex, { key }: AlertRuleModel, { reason, atMs }: Deletion): Promise<void> {
  await resolveInstancesOfRule(trx, { ruleKey: key, reason, atMs });
  await markRuleDeleted(trx, key, atMs);
}
