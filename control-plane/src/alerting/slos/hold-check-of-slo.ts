import { type CheckId, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { holdCheckRow } from "../../checks/store.ts";

/**
 * Returns the key of the team's check, and keeps the check from being deleted until the transaction ends.
 * @throws DomainError `invalid` when the team has no such check
 */
export async function holdCheckOfSlo(trx: Knex, teamId: TeamId, checkId: CheckId): Promise<number> {
  const check = await holdCheckRow(trx, teamId, checkId);
  if (!check) throw invalidField("checkId", `"${checkId}" is not a check; GET /api/checks lists them`);
  return check.key;
}
