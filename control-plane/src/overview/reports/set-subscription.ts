import { type ChannelId, invalidField, type ReportSubscription } from "@svc/contract";
import { type ChangeEntry, changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockSubscription, namesOfOthersThanEmail, storeSubscription } from "./subscription-store.ts";

/**
 * Replaces the channels that are sent the team's reports; none end it. Setting those that there are changes nothing but the time.
 * @throws DomainError `precondition_failed` when they were changed meanwhile; `invalid` for channels that are not the team's, or of another type than email
 */
export async function setReportSubscription(
  ctx: TeamContext,
  { channelIds }: { channelIds: ChannelId[] },
): Promise<ReportSubscription> {
  const { services, teamId } = ctx;
  const updatedAt = new Date(services.clock.nowMs()).toISOString();
  return changeRecord(ctx, async (trx) => {
    const stored = await lockSubscription(trx, teamId);
    assertSameVersion(ctx, stored ?? { updatedAt: null });
    const before = stored?.channelIds ?? [];
    await assertChannelsExist(trx, teamId, channelIds);
    const others = await namesOfOthersThanEmail(trx, channelIds);
    if (others.length > 0)
      throw invalidField(
        "channelIds",
        `reports are sent to channels of the type email alone, not to ${others.join(", ")}`,
      );
    await storeSubscription(trx, teamId, { channelIds, updatedAt });
    return {
      result: { teamId, channelIds, updatedAt: channelIds.length === 0 ? null : updatedAt },
      changes: entriesOf(teamId, before, channelIds),
    };
  });
}

/** Returns the entries of the change log; none when nothing changed. */
function entriesOf(teamId: string, before: readonly ChannelId[], after: readonly ChannelId[]): ChangeEntry[] {
  if (before.join() === after.join()) return [];
  const entry = { type: "report_subscription" as const, resourceId: teamId, name: null };
  if (before.length === 0) return [{ ...entry, action: "created" }];
  if (after.length === 0) return [{ ...entry, action: "deleted" }];
  return [
    {
      ...entry,
      action: "updated",
      changedFields: changedFields({ channelIds: before }, { channelIds: after }),
    },
  ];
}
