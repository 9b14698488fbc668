import { invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { holdChannels } from "./store.ts";

/**
 * Makes sure that these channels are the team's, and keeps them from being deleted until the transaction ends.
 * @throws DomainError `invalid`, naming those that don't exist
 */
export async function assertChannelsExist(
  trx: Knex,
  teamId: TeamId,
  channelIds: readonly string[],
): Promise<void> {
  const known = new Set<string>((await holdChannels(trx, teamId, channelIds)).map(({ id }) => id));
  const unknown = channelIds.filter((id) => !known.has(id));
  if (unknown.length > 0) throw invalidField("channelIds", `no such channel: ${unknown.join(", ")}`);
}
