/** A notification channel as the file of a config. */
import type { ChannelId, RecordAsCode } from "@svc/contract";
import { getChannel } from "../outbox/channels/get-channel.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { NO_RECORDS, recordAsCode } from "./record-as-code.ts";

/**
 * Returns the channel as `svc pull` writes it; what its type marks as secret becomes a placeholder.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getChannelAsCode(ctx: TeamContext, { id }: { id: ChannelId }): Promise<RecordAsCode> {
  const channel = await getChannel(ctx, { id, isMasked: false });
  return recordAsCode(ctx, channel.id, { records: { ...NO_RECORDS, channels: [channel] } });
}
