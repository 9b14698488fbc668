/** SQL of the channels that steps of the incident policy have notified. */
import type { ChannelId, IncidentId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Returns for each incident the channels that steps of the policy have notified of it; incidents without any are left out. */
export async function readEscalatedChannels(
  db: Knex,
  ids: readonly IncidentId[],
): Promise<Map<IncidentId, ChannelId[]>> {
  if (ids.length === 0) return new Map();
  const rows = await queryRows<{ id: IncidentId; channelIds: ChannelId[] }>(
    db,
    `SELECT i.id, array_agg(DISTINCT c.channel_id) AS channel_ids FROM incidents i
     JOIN incident_escalations e ON e.incident_key = i.key CROSS JOIN LATERAL unnest(e.channel_ids) AS c (channel_id)
     WHERE i.id = ANY(?) GROUP BY i.id`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, channelIds }) => [id, channelIds]));
}
