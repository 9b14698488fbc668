/** SQL of summaries: a few statements for a page of a team's checks, however many there are. */
import {
  type CheckId,
  type CheckType,
  type LocationId,
  type Severity,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";

/** A check as a summary names it. */
export interface ListedCheckRow {
  id: CheckId;
  key: number;
  createdAt: string;
  name: string;
  type: CheckType;
  enabled: boolean;
  frequencySeconds: number;
  locationIds: LocationId[];
  labels: string[] | null;
}

/** Reads a page of the team's checks, newest first. */
export function readListedChecks(
  db: Knex,
  teamId: TeamId,
  { after, limit }: { after: readonly (string | number)[] | undefined; limit: number },
): Promise<ListedCheckRow[]> {
  return queryRows(
    db,
    `SELECT c.id, c.key, c.created_at, c.name, c.type, c.enabled, c.frequency_seconds, c.location_ids,
       (SELECT array_agg(label ORDER BY label) FROM check_labels WHERE check_key = c.key) AS labels
     FROM checks c WHERE c.team_id = :teamId
       ${after ? "AND (c.created_at, c.key) < (CAST(:createdAt AS timestamptz), :key)" : ""}
     ORDER BY c.created_at DESC, c.key DESC LIMIT :limit`,
    { teamId, limit, ...(after && { createdAt: after[0], key: after[1] }) },
  );
}

/** Reads the share of successes of each check that has results in the hours from `fromMs` on, in basis points. */
export function readAvailability(
  db: Knex,
  teamId: TeamId,
  fromMs: number,
): Promise<{ checkKey: number; basisPoints: number }[]> {
  return queryRows(
    db,
    `SELECT c.key AS check_key, round(10000.0 * n.good / n.total)::integer AS basis_points
     FROM checks c CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "good bigint, total bigint",
       select: `SELECT sum(success_count) AS good, sum(success_count + failure_count + error_count + timeout_count) AS total
         FROM rollups WHERE bucket_seconds = 3600 AND check_key = {c.key} AND bucket_ms >= {:fromMs}`,
     })}
     WHERE c.team_id = :teamId AND n.total > 0`,
    { teamId, fromMs: wholeMs(fromMs) },
  );
}

/** Reads the severities of the open alerts of the team's checks. */
export function readOpenSeverities(
  db: Knex,
  teamId: TeamId,
): Promise<{ checkKey: number; severity: Severity }[]> {
  return queryRows(
    db,
    `SELECT DISTINCT i.check_key, i.severity FROM alert_instances i JOIN checks c ON c.key = i.check_key
     WHERE c.team_id = :teamId AND i.state IN ('active', 'acknowledged')`,
    { teamId },
  );
}

/** Reads which project deployed which check. */
export function readDeployedChecks(
  db: Knex,
  teamId: TeamId,
): Promise<{ project: string; checkId: string }[]> {
  return queryRows(
    db,
    `SELECT b.project, r ->> 'resourceId' AS check_id
     FROM deploy_baselines b CROSS JOIN jsonb_array_elements(b.resources) r
     WHERE b.team_id = :teamId AND r ->> 'kind' = 'check'`,
    { teamId },
  );
}
