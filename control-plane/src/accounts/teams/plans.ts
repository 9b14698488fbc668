/** Limits of a team's plan. A self-hosted team is unlimited but for the smallest frequency that the service knows. */
import { DomainError, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** Limits of a plan; null: none. */
export interface Plan {
  name: string;
  maxChecks: number | null;
  maxLocationsPerCheck: number | null;
  minFrequencySeconds: number;
  analysisQuotaPerMonth: number;
  generationQuotaPerMonth: number;
}

/** Use of the plan by a check that is about to be stored. */
export interface PlanUse {
  /** Number of checks that the team would have, this one included; absent unless a check is added. */
  checkCount?: number;
  locationCount: number;
  /** Absent: it runs once. */
  frequencySeconds?: number;
}

/**
 * Returns the plan of a team.
 * @throws DomainError `not_found`
 */
export async function loadPlan(knex: Knex, teamId: TeamId): Promise<Plan> {
  const plan = await knex("teams")
    .join("plans", "plans.name", "teams.plan")
    .where("teams.id", teamId)
    .first(
      "plans.name",
      "plans.maxChecks",
      "plans.maxLocationsPerCheck",
      "plans.minFrequencySeconds",
      "plans.analysisQuotaPerMonth",
      "plans.generationQuotaPerMonth",
    );
  if (!plan) throw notFound("Team");
  return plan;
}

/**
 * Passes when the use stays within the plan.
 * @throws DomainError `limit_exceeded` naming the plan, its limit and the wanted value
 */
export function assertWithinPlan(plan: Plan, use: PlanUse): void {
  const { maxChecks, maxLocationsPerCheck, minFrequencySeconds } = plan;
  if (maxChecks !== null && use.checkCount !== undefined && use.checkCount > maxChecks)
    throw exceeded(plan, `at most ${maxChecks} checks`, `this would be number ${use.checkCount}`);
  if (maxLocationsPerCheck !== null && use.locationCount > maxLocationsPerCheck)
    throw exceeded(plan, `at most ${locations(maxLocationsPerCheck)} per check`, `got ${use.locationCount}`);
  if (use.frequencySeconds !== undefined && use.frequencySeconds < minFrequencySeconds)
    throw exceeded(
      plan,
      `a frequency of at least ${minFrequencySeconds} seconds`,
      `got ${use.frequencySeconds}`,
    );
}

function locations(count: number): string {
  return count === 1 ? "1 location" : `${count} locations`;
}

function exceeded(plan: Plan, allowed: string, asked: string): DomainError {
  return new DomainError("limit_exceeded", `Plan ${plan.name} allows ${allowed}; ${asked}`);
}
