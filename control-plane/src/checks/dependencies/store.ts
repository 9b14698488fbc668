/** SQL of the checks that checks depend on. */
import type { CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** A check of the team with the checks that it depends on. */
export interface DependingCheck {
  id: CheckId;
  name: string;
  dependsOn: CheckId[];
}

/**
 * Keeps two changes apart that would make a circle together, and a deletion apart from a check that begins to depend on what is
 * deleted. Call it before any row of a check is locked.
 */
export async function lockDependencies(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(?, hashtext(?))", [
    ADVISORY_LOCK_CLASSES.teamDependencies,
    teamId,
  ]);
}

/** Returns those of these checks that are the team's, and all of the team's checks that depend on others. */
export function readDependencies(
  trx: Knex,
  teamId: TeamId,
  ids: readonly CheckId[],
): Promise<DependingCheck[]> {
  return queryRows(
    trx,
    "SELECT id, name, depends_on FROM checks WHERE team_id = :teamId AND (id = ANY(:ids) OR depends_on <> '{}')",
    { teamId, ids: [...ids] },
  );
}

/** Takes a check out of those that the team's others depend on. @returns the others, as they depend on checks now, by name */
export function removeDependency(
  trx: Knex,
  { teamId, id, atMs }: { teamId: TeamId; id: CheckId; atMs: number },
): Promise<DependingCheck[]> {
  return queryRows(
    trx,
    `WITH changed AS (
       UPDATE checks SET depends_on = array_remove(depends_on, :id), updated_at = :at
       WHERE team_id = :teamId AND depends_on @> ARRAY[CAST(:id AS text)] RETURNING id, name, depends_on)
     SELECT * FROM changed ORDER BY name, id`,
    { teamId, id, at: new Date(atMs) },
  );
}
