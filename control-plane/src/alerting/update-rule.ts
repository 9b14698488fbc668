import { notFound, type UpdateAlertRule } from "@svc/contract";
import type { Knex } from "knex";
import type { Author } from "../changes/author.ts";
import { changedFields } from "../changes/changed-fields.ts";
import { recordChange } from "../changes/store.ts";
import type { Services } from "../services.ts";
import { assertChannelsExist } from "./create-rule.ts";
import { endInstances } from "./end-instances.ts";
import { lockChecks } from "./locks.ts";
import type { AlertRuleModel } from "./rule-row.ts";
import { findRuleRow, lockRuleRow, patchRuleRow } from "./rule-store.ts";

/**
 * Changes a rule. Switching it off resolves its open instance, since no result would end it any more.
 * @throws DomainError not_found, invalid (a channel is not the team's)
 */
export async function updateRule(
  services: Services,
  teamId: string,
  id: string,
  body: UpdateAlertRule,
  author: Author,
): Promise<void> {
  const nowMs = services.clock.nowMs();
  await services.knex.transaction(async (trx) => {
    const row = await lockRule(trx, teamId, id);
    const { name, enabled, conditions, channelIds, confirm, recovery } = body;
    if (channelIds) await assertChannelsExist(trx, teamId, channelIds);
    if (enabled === false && row.enabled) await endInstances(services, trx, row, "the rule was switched off");
    const patch = {
      ...(name === undefined ? {} : { name }),
      ...(enabled === undefined ? {} : { enabled }),
      ...(conditions === undefined ? {} : { conditions }),
      ...(channelIds === undefined ? {} : { channelIds }),
      ...(confirm === undefined ? {} : { confirm }),
      ...(recovery === undefined ? {} : { recoverySuccesses: recovery.consecutiveSuccesses }),
    };
    await patchRuleRow(trx, row.key, { ...patch, updatedAt: new Date(nowMs).toISOString() });
    const before = describeRule(row);
    await recordChange(trx, {
      ...{ teamId, author, action: "updated", type: "alert", resourceId: id, name: row.name, atMs: nowMs },
      changedFields: changedFields(before, describeRule({ ...row, ...patch })),
    });
  });
}

type DescribedRule = Pick<
  AlertRuleModel,
  "name" | "enabled" | "conditions" | "channelIds" | "confirm" | "recoverySuccesses"
>;

function describeRule(row: DescribedRule): Record<string, unknown> {
  const { name, enabled, conditions, channelIds, confirm, recoverySuccesses } = row;
  const recovery = { consecutiveSuccesses: recoverySuccesses };
  return { name, enabled, conditions, channelIds, confirm, recovery };
}

/** The rule, with no evaluation of its check going on until the transaction ends. @throws DomainError not_found */
export async function lockRule(trx: Knex, teamId: string, id: string): Promise<AlertRuleModel> {
  const found = await findRuleRow(trx, teamId, id);
  if (found) await lockChecks(trx, [found.checkKey]);
  const row = found && (await lockRuleRow(trx, teamId, id));
  if (!row) throw notFound("Alert rule");
  return row;
}
