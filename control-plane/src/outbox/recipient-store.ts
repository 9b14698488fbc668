/** SQL of recipients. */
import type { ChannelId, ChannelType, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { audienceOf } from "./audience.ts";
import type { RecipientChannel } from "./recipient.ts";

interface RecipientRow {
  key: number;
  id: ChannelId;
  teamId: TeamId;
  type: ChannelType;
  incidentSubscribed: boolean;
}

/** Returns the channels that any of these name, by id. Deleted channels are left out. */
export async function readRecipients(
  db: Knex,
  naming: readonly { channelIds: readonly ChannelId[] }[],
): Promise<Map<ChannelId, RecipientChannel>> {
  const ids = new Set(naming.flatMap(({ channelIds }) => channelIds));
  if (ids.size === 0) return new Map();
  const rows = await queryRows<RecipientRow>(
    db,
    `SELECT key, id, team_id, type, incident_subscribed
     FROM notification_channels WHERE id = ANY(?)`,
    [[...ids]],
  );
  return new Map(
    rows.map(({ key, id, teamId, type, incidentSubscribed }) => [
      id,
      { key, id, teamId, audience: audienceOf(type), isSubscribed: incidentSubscribed },
    ]),
  );
}
