/** SQL of deployment markers. A marker never changes; every read is scoped by team. */
import {
  type CreateDeployment,
  type Deployment,
  type DeploymentsQuery,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";

const COLUMNS = [
  "id",
  "teamId",
  "service",
  "version",
  "environment",
  "commitSha",
  "commitMessage",
  "deployedBy",
  "source",
  "createdAt",
];

export async function insertDeployment(
  trx: Knex,
  teamId: TeamId,
  { body, createdAtMs }: { body: CreateDeployment; createdAtMs: number },
): Promise<Deployment> {
  const { service, version, environment, source } = body;
  const [row] = await trx("deployments")
    .insert({
      id: newId("deployment"),
      teamId,
      service,
      version,
      environment,
      source,
      commitSha: body.commit_sha,
      commitMessage: body.commit_message,
      deployedBy: body.deployed_by,
      createdAt: new Date(createdAtMs),
    })
    .returning(COLUMNS);
  return row;
}

/** Reads a page of the team's deployments, newest first. */
export async function readDeployments(
  db: Knex,
  teamId: TeamId,
  { service, limit, offset }: DeploymentsQuery,
): Promise<Deployment[]> {
  const query = db("deployments").where({ teamId }).limit(limit).offset(offset);
  if (service !== undefined) void query.where({ service });
  return query.orderBy("createdAt", "desc").orderBy("key", "desc").select(COLUMNS);
}

/** Deployments that are read of one range of time; more of them would explain nothing. */
const BETWEEN_MAX = 100;

/**
 * Reads the team's deployments that were reported from `fromMs` up to and including `toMs`, newest first, at most 100.
 * Both instants are Unix ms by the control plane's clock.
 */
export async function deploymentsBetween(
  trx: Knex,
  teamId: TeamId,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<Deployment[]> {
  return trx("deployments")
    .where({ teamId })
    .whereBetween("createdAt", [new Date(fromMs), new Date(toMs)])
    .orderBy("createdAt", "desc")
    .orderBy("key", "desc")
    .limit(BETWEEN_MAX)
    .select(COLUMNS);
}
