/**
 * The alert rules that an SLO generates: one per pace, with the SLO's name, channels and check, switched on while it is. They
 * follow it in the transaction of each change, under its lock. A rule needs someone to tell, so without channels there are none.
 */
import { isDeepStrictEqual } from "node:util";
import { type Condition, newId } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { endInstances } from "../instances/resolve-open-instances.ts";
import type { AlertRuleModel } from "../rules/row.ts";
import { insertRuleRow, listRuleRowsOfSlo, patchRuleRow } from "../rules/store.ts";
import { PACES, type Pace } from "./burn-rate.ts";
import type { SloModel } from "./row.ts";

/** Makes the rules as the SLO says. Harmless to repeat. */
export async function followRules(services: Services, trx: Knex, slo: SloModel): Promise<void> {
  const { checkKey } = slo;
  if (checkKey === null || !slo.burnRateAlertsEnabled || slo.channelIds.length === 0)
    return removeRules(services, trx, slo, "the SLO generates no alerts any more");
  const present = await listRuleRowsOfSlo(trx, slo.key);
  for (const pace of PACES) {
    const rule = present.find(({ sloPace }) => sloPace === pace.name);
    if (rule && rule.checkKey === checkKey) await updateRule(services, trx, rule, valuesOf(slo, pace));
    else {
      if (rule) await removeRule(services, trx, rule, "the SLO is about another check now");
      await insertRuleRow(trx, {
        ...{ id: newId("alertRule"), teamId: slo.teamId, checkKey, sloKey: slo.key, sloPace: pace.name },
        ...valuesOf(slo, pace),
        createdAt: new Date(services.clock.nowMs()).toISOString(),
      });
    }
  }
}

/** Deletes what the SLO generated, and resolves what is open of it. */
export async function removeRules(
  services: Services,
  trx: Knex,
  slo: Pick<SloModel, "key">,
  reason: string,
): Promise<void> {
  for (const rule of await listRuleRowsOfSlo(trx, slo.key)) await removeRule(services, trx, rule, reason);
}

type RuleValues = Pick<AlertRuleModel, "name" | "enabled" | "conditions" | "channelIds">;

function valuesOf({ id, name, enabled, channelIds }: SloModel, pace: Pace): RuleValues {
  const { burnRateThreshold, longWindowMinutes, shortWindowMinutes } = pace;
  const condition: Condition = {
    ...{ type: "burn_rate", sloId: id, burnRateThreshold, longWindowMinutes, shortWindowMinutes },
  };
  return { name: `${name}: ${pace.name} burn`, enabled, conditions: [condition], channelIds };
}

async function updateRule(
  services: Services,
  trx: Knex,
  rule: AlertRuleModel,
  values: RuleValues,
): Promise<void> {
  const { name, enabled, conditions, channelIds } = rule;
  if (isDeepStrictEqual({ name, enabled, conditions, channelIds }, values)) return;
  if (enabled && !values.enabled) await endInstances(services, trx, rule, "the SLO was switched off");
  await patchRuleRow(trx, rule.key, {
    ...values,
    updatedAt: new Date(services.clock.nowMs()).toISOString(),
  });
}

async function removeRule(
  services: Services,
  trx: Knex,
  rule: AlertRuleModel,
  reason: string,
): Promise<void> {
  await endInstances(services, trx, rule, reason);
  const deletedAt = new Date(services.clock.nowMs()).toISOString();
  await patchRuleRow(trx, rule.key, { enabled: false, channelIds: [], deletedAt });
}
