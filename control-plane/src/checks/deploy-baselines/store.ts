/** SQL of deploy baselines. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A baseline with its resources as JSON, which may be megabytes: nobody here looks into it. */
export interface BaselineText {
  project: string;
  resourcesText: string;
  updatedAt: string;
}

/** Baselines that are read at once: each may have megabytes. */
const BASELINES_AT_ONCE = 1;

/** Reads the team's baselines behind this project, by project. */
export function listBaselines(
  db: Knex,
  teamId: TeamId,
  afterProject: string | undefined,
): Promise<BaselineText[]> {
  return queryRows(
    db,
    `SELECT project, resources::text AS resources_text, updated_at FROM deploy_baselines
     WHERE team_id = :teamId ${afterProject === undefined ? "" : "AND project > :afterProject"}
     ORDER BY project LIMIT ${BASELINES_AT_ONCE}`,
    { teamId, ...(afterProject !== undefined && { afterProject }) },
  );
}

/** The baseline of one project, which replaces the former one. */
export interface NewBaseline {
  teamId: TeamId;
  project: string;
  /** JSON text. */
  resources: string;
  updatedAt: Date;
}

/** Stores a baseline in place of the project's former one. */
export async function writeBaseline(trx: Knex, baseline: NewBaseline): Promise<void> {
  await trx("deployBaselines").insert(baseline).onConflict(["teamId", "project"]).merge();
}

/**
 * Deletes the project's baseline.
 * @returns false when there was none
 */
export async function deleteBaseline(db: Knex, teamId: TeamId, project: string): Promise<boolean> {
  return (await db("deployBaselines").where({ teamId, project }).delete()) > 0;
}
