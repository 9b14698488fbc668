import type { Channel } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { channelFromRow } from "./row.ts";
import { listChannelRows } from "./store.ts";

/** Returns the team's channels, newest first. */
export async function listChannels({ services, teamId }: TeamContext): Promise<Channel[]> {
  const rows = await listChannelRows(services.knex, teamId);
  return rows.map((row) => channelFromRow(services.secrets, row));
}
