/** Reads the channels that records of a config notify. */
import type { Channel } from "@svc/contract";
import { channelFromRow } from "../outbox/channels/row.ts";
import { findChannels } from "../outbox/channels/store.ts";
import type { TeamContext } from "../platform/team-context.ts";

/** Returns the channels, credentials included. */
export async function readChannels(
  { services: { knex, secrets }, teamId }: TeamContext,
  notifying: readonly { channelIds: readonly string[] }[],
): Promise<Channel[]> {
  const ids = new Set(notifying.flatMap(({ channelIds }) => channelIds));
  const rows = await findChannels(knex, teamId, [...ids]);
  return rows.map((row) => channelFromRow(secrets, row, { isMasked: false }));
}
