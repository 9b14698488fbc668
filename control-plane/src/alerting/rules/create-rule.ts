import {
  type AlertRuleId,
  type ChannelId,
  type CheckId,
  type CreateAlertRule,
  newId,
  notFound,
} from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { holdCheckRow } from "../../checks/store.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { assertConditionsFit } from "./assert-conditions-fit.ts";
import { assertRulesOfCheckWithinCap } from "./assert-rules-of-check-within-cap.ts";
import { assertSlosExist } from "./assert-slos-exist.ts";
import { insertRuleRow } from "./store.ts";

/** The check to alert on, and its new rule. */
export interface CreateRuleInput {
  checkId: CheckId;
  rule: CreateAlertRule;
}

/**
 * Stores an alert rule of the check; the next result is judged by it.
 * @returns the rule's id
 * @throws DomainError `not_found` when the team has no such check, `invalid` when it has no such channel or SLO or a
 *   condition can never hold for the check,
 *   `limit_exceeded` when the check has as many rules as it may
 */
export async function createRule(ctx: TeamContext, { checkId, rule }: CreateRuleInput): Promise<AlertRuleId> {
  const { teamId, services } = ctx;
  return changeRecord(ctx, async (trx) => {
    const check = await holdCheckRow(trx, teamId, checkId);
    if (!check) throw notFound("Check");
    await assertChannelsExist(trx, teamId, rule.channelIds);
    await assertSlosExist(trx, teamId, rule.conditions);
    assertConditionsFit(services.secrets, check, rule.conditions);
    const { name, enabled, conditions, channelIds, confirm, recovery } = rule;
    const { id } = await insertRuleRow(trx, {
      id: newId("alertRule"),
      teamId,
      checkKey: check.key,
      name,
      enabled,
      conditions,
      channelIds: channelIds as ChannelId[],
      confirm,
      recoverySuccesses: recovery.consecutiveSuccesses,
      createdAt: new Date(services.clock.nowMs()).toISOString(),
    });
    await assertRulesOfCheckWithinCap(ctx, trx, check.key);
    return { result: id, changes: [{ action: "created", type: "alert", resourceId: id, name }] };
  });
}
