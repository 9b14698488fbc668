/** SQL of how channels stand. */
import { type ChannelStanding, STANDING_DELIVERIES_MAX, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";

/** How a channel stands, with what the order of the list is made of. */
export interface StandingRow extends Omit<ChannelStanding, "lastDelivery"> {
  key: number;
  createdAt: string;
  lastDelivery: (Omit<NonNullable<ChannelStanding["lastDelivery"]>, "at"> & { atMs: number }) | null;
}

/** Returns how a part of the team's channels stand, the newest channel first. */
export function listStandingRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset }: ListPart,
): Promise<StandingRow[]> {
  const [createdAt, key] = after ?? [];
  const isBehind = after
    ? "AND (c.created_at, c.key) < (CAST(:createdAt AS timestamptz), CAST(:key AS bigint))"
    : "";
  return queryRows(
    db,
    `SELECT c.key, c.created_at, c.id AS channel_id, a.last_delivery, d.failing_since,
       (SELECT count(*)::integer FROM alert_rules WHERE channel_ids @> ARRAY[c.id] AND team_id = c.team_id
          AND slo_key IS NULL AND policy_key IS NULL AND deleted_at IS NULL) AS rule_count,
       (SELECT count(*)::integer FROM alert_policies WHERE channel_ids @> ARRAY[c.id] AND team_id = c.team_id
          AND deleted_at IS NULL) AS policy_count,
       (SELECT count(*)::integer FROM slos WHERE channel_ids @> ARRAY[c.id] AND team_id = c.team_id) AS slo_count,
       (SELECT count(*)::integer FROM locations WHERE channel_ids @> ARRAY[c.id] AND team_id = c.team_id
          AND deleted_at IS NULL) AS location_count
     FROM notification_channels c
     LEFT JOIN LATERAL (
       SELECT jsonb_build_object('status', status, 'atMs', extract(epoch FROM created_at) * 1000, 'httpStatus', http_status, 'error', error) AS last_delivery
       FROM notification_deliveries WHERE channel_key = c.key AND status IN ('delivered', 'failed') ORDER BY key DESC LIMIT 1) a ON true
     CROSS JOIN LATERAL (
       SELECT min(n.created_at) FILTER (WHERE n.status = 'failed' AND n.key > n.last_success) AS failing_since
       FROM (
         SELECT newest.*, coalesce(max(newest.key) FILTER (WHERE newest.status = 'delivered') OVER (), 0) AS last_success
         FROM (
           SELECT key, status, created_at FROM notification_deliveries
           WHERE channel_key = c.key AND status IN ('delivered', 'failed') ORDER BY key DESC LIMIT :deliveriesMax) newest) n) d
     WHERE c.team_id = :teamId ${isBehind}
     ORDER BY c.created_at DESC, c.key DESC LIMIT :rowsMax OFFSET :offset`,
    {
      teamId,
      rowsMax,
      offset,
      deliveriesMax: STANDING_DELIVERIES_MAX,
      ...(after && { createdAt, key }),
    },
  );
}
