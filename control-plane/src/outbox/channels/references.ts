/** Records that name a channel, which keep it from being deleted. */
import type { ChannelId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A kind of record that names channels by id. */
interface ReferrerKind {
  /** Table of the records. May be missing while replicas of two versions run. */
  table: string;
  /** Query for one record that names the channel, as the end of a sentence: `alert rule "Home page down"`. */
  find: string;
  /** True for records by which the channel gets incident events alone. */
  isOfIncidents?: true;
}

const REFERRER_KINDS: readonly ReferrerKind[] = [
  {
    table: "alert_rules",
    find: `SELECT 'alert rule ' || coalesce('"' || r.name || '"', 'of check "' || c.name || '"') AS referrer
           FROM alert_rules r LEFT JOIN checks c ON c.key = r.check_key
           WHERE r.team_id = :teamId AND r.channel_ids @> ARRAY[CAST(:channelId AS text)]
           AND r.policy_key IS NULL ORDER BY r.key LIMIT 1`,
  },
  {
    table: "alert_policies",
    find: `SELECT 'alert policy "' || name || '"' AS referrer FROM alert_policies
           WHERE team_id = :teamId AND channel_ids @> ARRAY[CAST(:channelId AS text)]
           AND deleted_at IS NULL ORDER BY key LIMIT 1`,
  },
  {
    table: "slos",
    find: `SELECT 'SLO "' || name || '"' AS referrer FROM slos
           WHERE team_id = :teamId AND channel_ids @> ARRAY[CAST(:channelId AS text)] ORDER BY id LIMIT 1`,
  },
  {
    table: "incident_policies",
    isOfIncidents: true,
    find: `SELECT 'incident policy' AS referrer FROM incident_policies p WHERE p.team_id = :teamId
           AND EXISTS (SELECT FROM jsonb_array_elements(p.steps) step WHERE step -> 'channelIds' @> to_jsonb(CAST(:channelId AS text)))`,
  },
  {
    table: "rotas",
    isOfIncidents: true,
    find: `SELECT 'rota "' || name || '"' AS referrer FROM rotas WHERE team_id = :teamId
           AND EXISTS (SELECT FROM jsonb_array_elements(members) member WHERE member -> 'channelIds' @> to_jsonb(CAST(:channelId AS text)))
           ORDER BY key LIMIT 1`,
  },
  {
    table: "report_subscriptions",
    find: `SELECT 'monthly report' AS referrer FROM report_subscriptions
           WHERE team_id = :teamId AND channel_ids @> ARRAY[CAST(:channelId AS text)]`,
  },
  {
    table: "locations",
    find: `SELECT 'location "' || name || '"' AS referrer FROM locations
           WHERE team_id = :teamId AND channel_ids @> ARRAY[CAST(:channelId AS text)] AND deleted_at IS NULL
           ORDER BY key LIMIT 1`,
  },
];

/**
 * Returns words for one record that names the channel; undefined when none does.
 * @param isOfIncidents true: only records that need the channel to get incident events
 */
export async function findReferrer(
  trx: Knex,
  teamId: TeamId,
  { channelId, isOfIncidents = false }: { channelId: ChannelId; isOfIncidents?: boolean },
): Promise<string | undefined> {
  for (const { table, find, ...kind } of REFERRER_KINDS) {
    if (isOfIncidents && !kind.isOfIncidents) continue;
    const [known] = await queryRows<{ exists: boolean }>(trx, "SELECT to_regclass(?) IS NOT NULL AS exists", [
      table,
    ]);
    if (!known?.exists) continue;
    const [row] = await queryRows<{ referrer: string }>(trx, find, { teamId, channelId });
    if (row) return row.referrer;
  }
  return undefined;
}
