/** SQL of what a config describes beside the records that other folders read. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";

/** Returns the project whose last deploy left the record with this id; undefined when none did. */
export async function findProjectOf(db: Knex, teamId: TeamId, id: string): Promise<string | undefined> {
  const [row] = await queryRows<{ project: string }>(
    db,
    `SELECT project FROM deploy_baselines
     WHERE team_id = :teamId AND resources @> CAST(:wanted AS jsonb) ORDER BY project LIMIT 1`,
    { teamId, wanted: JSON.stringify([{ resourceId: id }]) },
  );
  return row?.project;
}
