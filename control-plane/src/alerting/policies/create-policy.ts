import { type AlertPolicy, type ChannelId, type CreateAlertPolicy, newId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { applyWritten } from "./apply-written.ts";
import { getPolicy } from "./get-policy.ts";
import { insertPolicyRow } from "./store.ts";

/**
 * Stores an alert policy, and gives every check that has its labels a rule.
 * @throws DomainError `invalid` when the team has no such channel, `conflict` when another policy has the name, `limit_exceeded`
 */
export async function createPolicy(ctx: TeamContext, input: CreateAlertPolicy): Promise<AlertPolicy> {
  const { teamId, services } = ctx;
  const { name, labels, enabled, conditions, channelIds, confirm, recovery } = input;
  const row = await conflictWhenInUse({ noun: "alert policy", name }, () =>
    changeRecord(ctx, async (trx) => {
      await assertChannelsExist(trx, teamId, channelIds);
      const result = await insertPolicyRow(trx, {
        id: newId("alertPolicy"),
        teamId,
        name,
        labels,
        enabled,
        conditions,
        channelIds: channelIds as ChannelId[],
        confirm,
        recoverySuccesses: recovery.consecutiveSuccesses,
        createdAt: new Date(services.clock.nowMs()).toISOString(),
      });
      return {
        result,
        changes: [{ action: "created", type: "alert_policy", resourceId: result.id, name }],
      };
    }),
  );
  await applyWritten(ctx, row.key);
  return getPolicy(ctx, row);
}
