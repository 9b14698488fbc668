/** SQL of the channels that are notified of an incident although no member's rule names them. */
import type { ChannelId, IncidentId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/**
 * Returns for each incident the channels that steps of the policy have notified of it, and those of the alerts that are held back because of its
 * location; incidents without any are left out.
 */
export async function readEscalatedChannels(
  db: Knex,
  ids: readonly IncidentId[],
): Promise<Map<IncidentId, ChannelId[]>> {
  if (ids.length === 0) return new Map();
  const rows = await queryRows<{ id: IncidentId; channelIds: ChannelId[] }>(
    db,
    `SELECT i.id, array_agg(DISTINCT c.channel_id) AS channel_ids FROM incidents i
     CROSS JOIN LATERAL (
       SELECT unnest(e.channel_ids) AS channel_id FROM incident_escalations e WHERE e.incident_key = i.key
       UNION SELECT unnest(o.channel_ids) FROM location_outages o WHERE o.incident_key = i.key) c
     WHERE i.id = ANY(?) GROUP BY i.id`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, channelIds }) => [id, channelIds]));
}
