/** SQL of the generations that teams began, by calendar month (UTC). */
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
