import { type ChannelId, DomainError, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { findReferrer } from "./references.ts";
import { deleteChannelRow, lockChannelRow } from "./store.ts";

/**
 * Deletes a channel with its deliveries and the notifications that wait for it.
 * @throws DomainError `not_found`, also the second time; `conflict` while an alert rule, an SLO, the incident policy, a rota or a location names the channel
 */
export async function deleteChannel(ctx: TeamContext, { id }: { id: ChannelId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const row = await lockChannelRow(trx, ctx.teamId, id);
    if (!row) throw notFound("Notification channel");
    assertSameVersion(ctx, row);
    const referrer = await findReferrer(trx, ctx.teamId, { channelId: row.id });
    if (referrer) throw new DomainError("conflict", `Channel "${row.name}" is used by the ${referrer}`);
    await deleteChannelRow(trx, row);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "channel", resourceId: row.id, name: row.name }],
    };
  });
}
