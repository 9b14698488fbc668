import { type AlertPolicy, type AlertPolicyId, notFound, type UpdateAlertPolicy } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { firingPatchOf } from "../rules/firing-patch.ts";
import { applyWritten } from "./apply-written.ts";
import { getPolicy } from "./get-policy.ts";
import { type DescribedPolicy, describePolicy } from "./row.ts";
import { lockPolicyRow, patchPolicyRow } from "./store.ts";

/** The policy to change, and its new fields. */
export interface UpdatePolicyInput {
  id: AlertPolicyId;
  update: UpdateAlertPolicy;
}

/**
 * Changes the given fields of an alert policy, and the rules that follow it.
 * @throws DomainError `not_found`, `invalid` when the team has no such channel, or `conflict` when another policy has the name
 */
export async function updatePolicy(
  ctx: TeamContext,
  { id, update }: UpdatePolicyInput,
): Promise<AlertPolicy> {
  const { teamId, services } = ctx;
  const key = await conflictWhenInUse({ noun: "alert policy", name: update.name }, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockPolicyRow(trx, teamId, id);
      if (!current) throw notFound("Alert policy");
      assertSameVersion(ctx, current);
      if (update.channelIds) await assertChannelsExist(trx, teamId, update.channelIds);
      const { name, labels } = update;
      const patch: Partial<DescribedPolicy> = {
        ...firingPatchOf(update),
        ...(name !== undefined && { name }),
        ...(labels !== undefined && { labels }),
      };
      const updated = { ...current, ...patch };
      const fields = changedFields(describePolicy(current), describePolicy(updated));
      const updatedAt = new Date(services.clock.nowMs()).toISOString();
      // Writing the rules of very many checks again is dear: not for a change that changes nothing.
      if (fields.length > 0) await patchPolicyRow(trx, current.key, { ...patch, updatedAt });
      return {
        result: current.key,
        changes: [
          {
            action: "updated",
            type: "alert_policy",
            resourceId: id,
            name: updated.name,
            changedFields: fields,
          },
        ],
      };
    }),
  );
  await applyWritten(ctx, key);
  return getPolicy(ctx, { id });
}
