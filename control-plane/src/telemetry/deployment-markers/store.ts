/** SQL of deployment markers. A marker never changes; every read is scoped by team. */
import {
  type CreateDeployment,
  type Deployment,
  type DeploymentsQuery,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type { ListPart } from "../../platform/http/record-list.ts";

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

/** Stores a deployment marker, and returns it as the API shows it. */
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

/** A deployment with its key, by which those of one instant are ordered. */
export type DeploymentRow = Deployment & { key: number };

/** Reads a part of the list of the team's deployments, newest first. */
export async function readDeployments(
  db: Knex,
  teamId: TeamId,
  { service, after, rowsMax, offset }: Pick<DeploymentsQuery, "service"> & ListPart,
): Promise<DeploymentRow[]> {
  const query = db("deployments").where({ teamId }).limit(rowsMax).offset(offset);
  if (after)
    void query.whereRaw("(created_at, key) < (CAST(? AS timestamptz), CAST(? AS bigint))", [...after]);
  if (service !== undefined) void query.where({ service });
  return query
    .orderBy("createdAt", "desc")
    .orderBy("key", "desc")
    .select("key", ...COLUMNS);
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
