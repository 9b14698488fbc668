/** SQL of deploy plans. */
import { type CreateDeployPlan, DEPLOY_PLAN_LIMITS, type DeployPlanId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A plan as it is stored. */
export interface DeployPlanRow {
  id: DeployPlanId;
  author: string | null;
  plan: CreateDeployPlan;
  createdAt: string;
  expiresAt: string;
}

/** A plan that is about to be stored. */
export interface NewDeployPlan {
  id: DeployPlanId;
  teamId: TeamId;
  createdBy: string | null;
  plan: CreateDeployPlan;
  createdAt: Date;
  expiresAt: Date;
}

/** Stores a plan; removes the team's oldest beyond those that are kept. */
export async function insertDeployPlan(trx: Knex, row: NewDeployPlan): Promise<void> {
  await trx("teams").where({ id: row.teamId }).forNoKeyUpdate().first("id");
  await trx.raw(
    `DELETE FROM deploy_plans WHERE id IN (
       SELECT id FROM deploy_plans WHERE team_id = ? ORDER BY created_at DESC, id DESC
       OFFSET ${DEPLOY_PLAN_LIMITS.keptMax - 1})`,
    [row.teamId],
  );
  await trx("deployPlans").insert({ ...row, plan: JSON.stringify(row.plan) });
}

/** Returns a plan that has not expired; undefined when there is none. */
export async function findDeployPlan(
  db: Knex,
  { teamId, id, nowMs }: { teamId: TeamId; id: string; nowMs: number },
): Promise<DeployPlanRow | undefined> {
  const [row] = await queryRows<DeployPlanRow>(
    db,
    `SELECT id, actor_name(created_by) AS author, plan, created_at, expires_at FROM deploy_plans
     WHERE team_id = ? AND id = ? AND expires_at > ?`,
    [teamId, id, new Date(nowMs)],
  );
  return row;
}

/** Removes the plans that have expired. */
export async function deleteExpiredDeployPlans(db: Knex, nowMs: number): Promise<void> {
  await db("deployPlans").where("expiresAt", "<=", new Date(nowMs)).delete();
}
