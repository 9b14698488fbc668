import { type AlertPolicy, type AlertPolicyId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { policyFromRow } from "./row.ts";
import { findPolicyRow } from "./store.ts";

/**
 * Returns an alert policy.
 * @throws DomainError `not_found` when the team has no such policy
 */
export async function getPolicy(
  { services: { knex }, teamId }: TeamContext,
  { id }: { id: AlertPolicyId },
): Promise<AlertPolicy> {
  const row = await findPolicyRow(knex, teamId, id);
  if (!row) throw notFound("Alert policy");
  return policyFromRow(row);
}
