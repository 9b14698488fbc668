/** SQL of the generations that teams began, by calendar month (UTC), and of the names that a language model is shown. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";

/** A team and an instant of the month that is counted. */
interface MonthOfTeam {
  teamId: TeamId;
  nowMs: number;
}

const MONTH = "CAST(date_trunc('month', CAST(:at AS timestamptz) AT TIME ZONE 'UTC') AS date)";

/** Counts one more generation of the team in this month. @returns false, and counts nothing, when it has had that many */
export async function countGeneration(
  db: Knex,
  { teamId, nowMs, max }: MonthOfTeam & { max: number },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `INSERT INTO generation_use AS u (team_id, month, generations)
     SELECT :teamId, ${MONTH}, 1 WHERE :max > 0
     ON CONFLICT (team_id, month) DO UPDATE SET generations = u.generations + 1 WHERE u.generations < :max
     RETURNING 1`,
    { teamId, at: new Date(nowMs), max },
  );
  return rows.length > 0;
}

/** Takes one generation back, that came to nothing. */
export async function uncountGeneration(db: Knex, { teamId, nowMs }: MonthOfTeam): Promise<void> {
  await db.raw(
    `UPDATE generation_use SET generations = generations - 1
     WHERE team_id = :teamId AND month = ${MONTH} AND generations > 0`,
    { teamId, at: new Date(nowMs) },
  );
}

/** A check as a model is shown it. */
export interface NamedCheck {
  name: string;
  type: string;
  frequencySeconds: number;
  locations: string[];
  labels: string[];
  /** Names of its alert rules that people or deploys wrote. */
  rules: string[];
}

/** Reads names of the team's newest checks. */
export function readCheckNames(db: Knex, teamId: TeamId, rowsMax: number): Promise<NamedCheck[]> {
  return queryRows(
    db,
    `SELECT c.name, c.type, c.frequency_seconds, c.location_ids AS locations,
       coalesce(l.labels, '{}') AS labels, coalesce(r.rules, '{}') AS rules
     FROM (SELECT * FROM checks WHERE team_id = :teamId ORDER BY key DESC LIMIT :rowsMax) c
     LEFT JOIN (SELECT check_key, array_agg(label ORDER BY label) AS labels FROM check_labels
       WHERE team_id = :teamId GROUP BY 1) l ON l.check_key = c.key
     LEFT JOIN (SELECT check_key, array_agg(name ORDER BY key) AS rules FROM alert_rules
       WHERE team_id = :teamId AND name IS NOT NULL AND slo_key IS NULL AND policy_key IS NULL
         AND deleted_at IS NULL GROUP BY 1) r
       ON r.check_key = c.key
     ORDER BY c.key DESC`,
    { teamId, rowsMax },
  );
}

/** A record of another kind; `detail` is the type of a channel, or the region of a location. */
interface NamedRecord {
  kind: string;
  id: string;
  name: string;
  detail: string;
}

/** Reads names of the team's other records and of the locations that it may use, up to `rowsMax` of a kind. */
export function readOtherNames(db: Knex, teamId: TeamId, rowsMax: number): Promise<NamedRecord[]> {
  const named = (kind: string, from: string, detail = "''") =>
    `(SELECT '${kind}' AS kind, id, name, ${detail} AS detail FROM ${from} ORDER BY key DESC LIMIT :rowsMax)`;
  const ofTeam = "WHERE team_id = :teamId";
  return queryRows(
    db,
    [
      named("channel", `notification_channels ${ofTeam}`, "type"),
      named("slo", `slos ${ofTeam}`),
      named("policy", `alert_policies ${ofTeam}`),
      named("window", `maintenance_windows ${ofTeam} AND deleted_at IS NULL`),
      named("pattern", `third_party_patterns ${ofTeam}`),
      named(
        "location",
        "locations WHERE (team_id = :teamId OR team_id IS NULL) AND deleted_at IS NULL AND status = 'active'",
        "region",
      ),
    ].join(" UNION ALL "),
    { teamId, rowsMax },
  );
}
