/** SQL of what a config describes beside the records that other folders read. */
import type { CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";

/** Returns the project whose last deploy left the check; undefined when none did. */
export async function findProjectOf(db: Knex, teamId: TeamId, checkId: CheckId): Promise<string | undefined> {
  const [row] = await queryRows<{ project: string }>(
    db,
    `SELECT project FROM deploy_baselines
     WHERE team_id = :teamId AND resources @> CAST(:wanted AS jsonb) ORDER BY project LIMIT 1`,
    { teamId, wanted: JSON.stringify([{ resourceId: checkId }]) },
  );
  return row?.project;
}
