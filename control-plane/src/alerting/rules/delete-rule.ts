import type { AlertRuleId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { resolveInstancesOfRule } from "../instances/resolve-open-instances.ts";
import { lockRule } from "./lock-rule.ts";
import { markRuleDeleted } from "./store.ts";

/**
 * Deletes a rule and resolves its open instance. Its instances stay and keep the rule's name; its channels may be deleted.
 * @throws DomainError `not_found`, also the second time, or `conflict` when an SLO generated the rule
 */
export async function deleteRule(ctx: TeamContext, { id }: { id: AlertRuleId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const rule = await lockRule(trx, ctx.teamId, id);
    assertSameVersion(ctx, rule);
    const atMs = ctx.services.clock.nowMs();
    await resolveInstancesOfRule(trx, { ruleKey: rule.key, reason: "the rule was deleted", atMs });
    await markRuleDeleted(trx, rule.key, atMs);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "alert", resourceId: id, name: rule.name }],
    };
  });
}
