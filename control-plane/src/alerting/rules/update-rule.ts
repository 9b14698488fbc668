import type { AlertRuleId, UpdateAlertRule } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { holdCheckRowByKey } from "../../checks/store.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { resolveInstancesOfRule } from "../instances/resolve-open-instances.ts";
import { assertConditionsFit } from "./assert-conditions-fit.ts";
import { assertSlosExist } from "./assert-slos-exist.ts";
import { type FiringColumns, firingPatchOf } from "./firing-patch.ts";
import { lockRule } from "./lock-rule.ts";
import type { AlertRuleModel } from "./row.ts";
import { patchRuleRow } from "./store.ts";

/** The rule to change, and its new fields. */
export interface UpdateRuleInput {
  id: AlertRuleId;
  update: UpdateAlertRule;
}

/**
 * Changes the given fields of a rule. Switching it off resolves its open instance, since no result would end it any more.
 * @throws DomainError `not_found`, `conflict` when an SLO generated the rule, or `invalid` when the team has no such channel
 *   or SLO or a condition can never hold for the check
 */
export async function updateRule(ctx: TeamContext, { id, update }: UpdateRuleInput): Promise<void> {
  const { teamId, services } = ctx;
  await changeRecord(ctx, async (trx) => {
    const rule = await lockRule(trx, teamId, id);
    assertSameVersion(ctx, rule);
    const { channelIds, conditions, enabled } = update;
    if (channelIds) await assertChannelsExist(trx, teamId, channelIds);
    if (conditions) {
      await assertSlosExist(trx, teamId, conditions);
      const check = rule.checkKey === null ? undefined : await holdCheckRowByKey(trx, rule.checkKey);
      if (check) assertConditionsFit(services.secrets, check, conditions);
    }
    const atMs = services.clock.nowMs();
    if (enabled === false && rule.enabled)
      await resolveInstancesOfRule(trx, { ruleKey: rule.key, reason: "the rule was switched off", atMs });
    const patch: Partial<DescribedRule> = {
      ...firingPatchOf(update),
      ...(update.name !== undefined && { name: update.name }),
    };
    await patchRuleRow(trx, rule.key, { ...patch, updatedAt: new Date(atMs).toISOString() });
    const updated = { ...rule, ...patch };
    return {
      result: undefined,
      changes: [
        {
          action: "updated",
          type: "alert",
          resourceId: id,
          name: updated.name,
          changedFields: changedFields(describeRule(rule), describeRule(updated)),
        },
      ],
    };
  });
}

/** The fields that people set. */
type DescribedRule = FiringColumns & Pick<AlertRuleModel, "name">;

/** Returns the rule as the change log compares it. */
function describeRule(rule: DescribedRule): Record<string, unknown> {
  const { name, enabled, conditions, channelIds, confirm, recoverySuccesses } = rule;
  const recovery = { consecutiveSuccesses: recoverySuccesses };
  return { name, enabled, conditions, channelIds, confirm, recovery };
}
