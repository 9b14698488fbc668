/** SQL of recipients. */
import type { ChannelId, ChannelType, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { audienceOf, typesWithAudience } from "./audience.ts";
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
  return new Map(rows.map((row) => [row.id, recipientFromRow(row)]));
}

/** Returns the channels to machines that take the incident events of these teams, whether a rule names them or not. */
export async function readSubscribers(db: Knex, teamIds: readonly TeamId[]): Promise<RecipientChannel[]> {
  if (teamIds.length === 0) return [];
  const rows = await queryRows<RecipientRow>(
    db,
    `SELECT key, id, team_id, type, incident_subscribed FROM notification_channels
     WHERE team_id = ANY(?) AND incident_subscribed AND type = ANY(?) ORDER BY key`,
    [[...new Set(teamIds)], typesWithAudience("machine")],
  );
  return rows.map(recipientFromRow);
}

function recipientFromRow({ key, id, teamId, type, incidentSubscribed }: RecipientRow): RecipientChannel {
  return { key, id, teamId, audience: audienceOf(type), isSubscribed: incidentSubscribed };
}
