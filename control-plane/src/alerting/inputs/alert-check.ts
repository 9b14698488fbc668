/** Checks as alerting sees them. */
import type { CheckId, CheckType, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { targetSql } from "../../checks/target-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** Properties of a check that alerting needs. */
export interface AlertCheck {
  key: number;
  id: CheckId;
  teamId: TeamId;
  name: string;
  type: CheckType;
  enabled: boolean;
  frequencySeconds: number;
  /** True when the check depends on others, so that its alerts may be theirs. */
  hasDependencies: boolean;
  /** Locations of the schedule in force, in its order, without the retired ones: no run of theirs is awaited. */
  locationKeys: number[];
  targetUrl: string | null;
  timeoutMs: number | null;
}

/** Select list of an {@link AlertCheck}; it expects the tables as `c` (checks) and `r` (the schedule in force). */
export const ALERT_CHECK_COLUMNS = `c.key, c.id, c.team_id, c.name, c.type, c.enabled, c.frequency_seconds,
  c.depends_on <> '{}' AS has_dependencies,
  ARRAY(SELECT u.key FROM unnest(r.location_keys) WITH ORDINALITY AS u (key, position)
        WHERE NOT EXISTS (SELECT FROM locations l WHERE l.key = u.key AND l.status = 'retired')
        ORDER BY u.position) AS location_keys,
  ${targetSql("c")} AS target_url,
  CASE WHEN jsonb_typeof(c.config -> 'timeoutMs') = 'number' THEN (c.config ->> 'timeoutMs')::float8 END AS timeout_ms`;

/** Join that adds the schedule in force as `r` to checks as `c`. */
export const JOIN_SCHEDULE_IN_FORCE =
  "LEFT JOIN check_revisions r ON r.check_key = c.key AND r.effective_until_ms IS NULL";

/** Returns the checks with these keys; deleted ones are missing. */
export async function readAlertChecks(
  db: Knex,
  checkKeys: readonly number[],
): Promise<Map<number, AlertCheck>> {
  const rows = await queryRows<AlertCheck>(
    db,
    `SELECT ${ALERT_CHECK_COLUMNS} FROM checks c ${JOIN_SCHEDULE_IN_FORCE} WHERE c.key = ANY(?)`,
    [checkKeys],
  );
  return new Map(rows.map((row) => [row.key, row]));
}
