/** SQL of deploy baselines. */
import type { DeployBaseline, TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** Largest number of projects that a team may have deployed: a bound on what one request answers. */
const PROJECTS_MAX = 200;

/** Returns the team's baselines, by project. */
export async function listBaselines(db: Knex, teamId: TeamId): Promise<DeployBaseline[]> {
  return db("deployBaselines")
    .where({ teamId })
    .select("project", "resources", "updatedAt")
    .orderBy("project")
    .limit(PROJECTS_MAX);
}

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
