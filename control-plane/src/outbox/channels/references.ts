/** What refers to a channel, so that it can't be deleted. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A kind of resource that names channels by their id. Its table may be younger than this replica's schema. */
interface Referrer {
  table: string;
  /** One that refers to the channel, as a sentence's end: `alert rule "Home page down"`. */
  find: string;
}

const REFERRERS: readonly Referrer[] = [
  {
    table: "alert_rules",
    find: `SELECT 'alert rule ' || coalesce('"' || r.name || '"', 'of check "' || c.name || '"') AS referrer
           FROM alert_rules r JOIN checks c ON c.key = r.check_key
           WHERE r.team_id = :teamId AND r.channel_ids @> ARRAY[CAST(:channelId AS text)] ORDER BY r.key LIMIT 1`,
  },
  {
    table: "slos",
    find: `SELECT 'SLO "' || name || '"' AS referrer FROM slos
           WHERE team_id = :teamId AND channel_ids @> ARRAY[CAST(:channelId AS text)] ORDER BY id LIMIT 1`,
  },
];

/** Words for something that refers to the channel; undefined when nothing does. */
export async function findReferrer(
  trx: Knex,
  teamId: TeamId,
  channelId: string,
): Promise<string | undefined> {
  for (const { table, find } of REFERRERS) {
    const [known] = await queryRows<{ exists: boolean }>(trx, "SELECT to_regclass(?) IS NOT NULL AS exists", [
      table,
    ]);
    if (!known?.exists) continue;
    const [row] = await queryRows<{ referrer: string }>(trx, find, { teamId, channelId });
    if (row) return row.referrer;
  }
  return undefined;
}
