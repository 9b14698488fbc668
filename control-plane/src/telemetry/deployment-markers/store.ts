/** All SQL of deployment markers. They are never changed; every read is scoped by team. */
import type { CreateDeployment, Deployment, DeploymentsQuery, TeamId } from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = [
  ...["id", "teamId", "service", "version", "environment", "commitSha", "commitMessage", "deployedBy"],
  ...["source", "createdAt"],
];

export async function insertDeployment(
  trx: Knex,
  id: string,
  teamId: TeamId,
  body: CreateDeployment,
  createdAtMs: number,
): Promise<Deployment> {
  const { service, version, environment, source } = body;
  const [row] = await trx("deployments")
    .insert({
      ...{ id, teamId, service, version, environment, source },
      commitSha: body.commit_sha,
      commitMessage: body.commit_message,
      deployedBy: body.deployed_by,
      createdAt: new Date(createdAtMs),
    })
    .returning(COLUMNS);
  return row;
}

/** Newest first. */
export async function listDeploymentRows(
  db: Knex,
  teamId: TeamId,
  { service, limit, offset }: DeploymentsQuery,
): Promise<Deployment[]> {
  const query = db("deployments").where({ teamId }).limit(limit).offset(offset);
  if (service !== undefined) void query.where({ service });
  return query.orderBy("createdAt", "desc").orderBy("key", "desc").select(COLUMNS);
}

/** More than this many deployments in one stretch of time explain nothing. */
const BETWEEN_MAX = 100;

/**
 * The team's deployments of which the service was told from `fromMs` up to and including `toMs`, newest first, 100 at most.
 * @param fromMs Unix ms, control-plane clock   @param toMs the same
 */
export async function deploymentsBetween(
  trx: Knex,
  teamId: TeamId,
  fromMs: number,
  toMs: number,
): Promise<Deployment[]> {
  return trx("deployments")
    .where({ teamId })
    .whereBetween("createdAt", [new Date(fromMs), new Date(toMs)])
    .orderBy("createdAt", "desc")
    .orderBy("key", "desc")
    .limit(BETWEEN_MAX)
    .select(COLUMNS);
}
