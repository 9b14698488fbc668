/**
 * SQL of deleted checks: the few columns of each that its last events show, in the event feed and in the export.
 * Nothing else knows a deleted check.
 */
import type { Knex } from "knex";
import { targetSql } from "./target-sql.ts";

/** Time for which the results of a deleted check can still be read by the feed, as an SQL interval. */
export const DELETED_RESULTS_KEPT = "1 day";

/** SQL table expression of present and deleted checks: `key`, `id`, `team_id`, `name`, `type`. */
export const KNOWN_CHECKS = `(SELECT key, id, team_id, name, type FROM checks
  UNION ALL SELECT key, id, team_id, name, type FROM deleted_checks)`;

/** Stores the columns of a check that stay known. Call it before the check's row is deleted, under its lock. */
export async function keepDeletedCheck(trx: Knex, key: number): Promise<void> {
  await trx.raw(
    `INSERT INTO deleted_checks (key, id, team_id, name, type, url, labels, location_keys, frequency_seconds_max)
     SELECT c.key, c.id, c.team_id, c.name, c.type, ${targetSql("c")},
       ARRAY(SELECT label FROM check_labels WHERE check_key = c.key ORDER BY label),
       ARRAY(SELECT DISTINCT l FROM check_revisions r CROSS JOIN unnest(r.location_keys) AS l WHERE r.check_key = c.key),
       greatest(c.frequency_seconds, (SELECT max(frequency_seconds) FROM check_revisions r WHERE r.check_key = c.key))
     FROM checks c WHERE c.key = ?`,
    [key],
  );
}
