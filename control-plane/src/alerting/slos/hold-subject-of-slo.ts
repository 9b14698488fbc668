/** The subject of an SLO: a check, or a third-party pattern. */
import { type CheckId, invalidField, type TeamId, type ThirdPartyPatternId } from "@svc/contract";
import type { Knex } from "knex";
import { holdCheckRow } from "../../checks/store.ts";
import { holdPatternRow } from "../../checks/third-party-patterns/store.ts";

/**
 * Returns the key of the team's check, and keeps the check from being deleted until the transaction ends.
 * @throws DomainError `invalid` when the team has no such check
 */
export async function holdCheckOfSlo(trx: Knex, teamId: TeamId, checkId: CheckId): Promise<number> {
  const check = await holdCheckRow(trx, teamId, checkId);
  if (!check) throw invalidField("checkId", `"${checkId}" is not a check; GET /api/checks lists them`);
  return check.key;
}

/**
 * Returns the id of the team's third-party pattern, and keeps the pattern from being deleted until the transaction ends.
 * @throws DomainError `invalid` when the team has no such pattern
 */
export async function holdPatternOfSlo(
  trx: Knex,
  teamId: TeamId,
  patternId: string,
): Promise<ThirdPartyPatternId> {
  const pattern = await holdPatternRow(trx, teamId, patternId);
  if (!pattern)
    throw invalidField(
      "patternId",
      `"${patternId}" is not a third-party pattern; GET /api/third-party-patterns lists them`,
    );
  return pattern.id;
}
