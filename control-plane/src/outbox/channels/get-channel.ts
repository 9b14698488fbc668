import { type Channel, type ChannelId, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamContext } from "../../platform/team-context.ts";
import { type ChannelModel, channelFromRow } from "./row.ts";
import { findChannelRow } from "./store.ts";

/**
 * Returns a channel of the team.
 * @param input.isMasked true: `***` stands for each secret
 * @throws DomainError `not_found`
 */
export async function getChannel(
  { services, teamId }: TeamContext,
  { id, isMasked }: { id: ChannelId; isMasked: boolean },
): Promise<Channel> {
  return channelFromRow(services.secrets, await getChannelRow(services.knex, teamId, id), { isMasked });
}

/**
 * Returns a channel's row.
 * @throws DomainError `not_found` when the id is unknown, another team's, or no channel's id at all
 */
export async function getChannelRow(db: Knex, teamId: TeamId, id: ChannelId): Promise<ChannelModel> {
  const row = await findChannelRow(db, teamId, id);
  if (!row) throw notFound("Notification channel");
  return row;
}
