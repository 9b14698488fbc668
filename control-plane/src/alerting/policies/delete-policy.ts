import { type AlertPolicyId, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { applyWritten } from "./apply-written.ts";
import { lockPolicyRow, patchPolicyRow } from "./store.ts";

/**
 * Deletes an alert policy. Its rules end, and what is open of them is resolved; their instances keep its name.
 * @throws DomainError `not_found`, also the second time
 */
export async function deletePolicy(ctx: TeamContext, { id }: { id: AlertPolicyId }): Promise<void> {
  const key = await changeRecord(ctx, async (trx) => {
    const policy = await lockPolicyRow(trx, ctx.teamId, id);
    if (!policy) throw notFound("Alert policy");
    assertSameVersion(ctx, policy);
    const deletedAt = new Date(ctx.services.clock.nowMs()).toISOString();
    await patchPolicyRow(trx, policy.key, { deletedAt, channelIds: [] });
    return {
      result: policy.key,
      changes: [{ action: "deleted", type: "alert_policy", resourceId: id, name: policy.name }],
    };
  });
  await applyWritten(ctx, key);
}
