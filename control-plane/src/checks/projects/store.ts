/** SQL of how config projects stand. */
import { PROJECT_LIMITS, type ProjectStanding, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Changes since the oldest of the deploys that are looked at, the newest. */
const CHANGES_MAX = 1_000;

/** Returns the projects that deployed something, by name, and the resources of them that were changed since. */
export function readProjects(
  db: Knex,
  teamId: TeamId,
): Promise<Pick<ProjectStanding, "project" | "deployedAt" | "resources">[]> {
  return queryRows(
    db,
    `SELECT b.project, b.updated_at AS deployed_at,
       coalesce((SELECT json_agg(json_build_object('kind', k.kind, 'count', k.count) ORDER BY k.kind)
         FROM (SELECT r ->> 'kind' AS kind, count(*)::integer AS count
               FROM jsonb_array_elements(b.resources::jsonb) r GROUP BY 1) k), '[]') AS resources
     FROM deploy_baselines b WHERE b.team_id = ? ORDER BY b.project LIMIT ${PROJECT_LIMITS.projectsMax}`,
    [teamId],
  );
}

/** A changed resource with its project. */
export type ChangedResourceRow = ProjectStanding["changed"][number] & { project: string };

/** Returns the resources that were changed since their project's deploy by anything but a deploy, the newest change first. */
export function readChangedResources(db: Knex, teamId: TeamId): Promise<ChangedResourceRow[]> {
  return queryRows(
    db,
    `WITH since AS (SELECT min(updated_at) AS at FROM deploy_baselines WHERE team_id = :teamId),
       recent AS MATERIALIZED (
         SELECT * FROM changes WHERE team_id = :teamId AND source <> 'yaml' AND created_at > (SELECT at FROM since)
         ORDER BY created_at DESC LIMIT ${CHANGES_MAX}),
       deployed AS (
         SELECT b.project, b.updated_at, r ->> 'resourceId' AS resource_id, r ->> 'kind' AS kind, r ->> 'name' AS name
         FROM deploy_baselines b CROSS JOIN LATERAL jsonb_array_elements(b.resources::jsonb) r
         WHERE b.team_id = :teamId AND EXISTS (SELECT FROM recent))
     SELECT d.project, d.kind, d.name, d.resource_id, bool_or(c.action = 'deleted') AS is_deleted,
       max(c.created_at) AS changed_at,
       (array_agg(coalesce(c.actor_name, actor_name(c.actor)) ORDER BY c.key DESC))[1] AS author,
       coalesce((SELECT json_agg(DISTINCT f ->> 'field') FROM recent e CROSS JOIN LATERAL
           jsonb_array_elements(e.changed_fields) f
         WHERE e.resource_id = d.resource_id AND e.created_at > d.updated_at), '[]') AS fields
     FROM deployed d JOIN recent c ON c.resource_id = d.resource_id AND c.created_at > d.updated_at
     GROUP BY d.project, d.kind, d.name, d.resource_id, d.updated_at
     ORDER BY changed_at DESC LIMIT ${PROJECT_LIMITS.changedMax}`,
    { teamId },
  );
}
