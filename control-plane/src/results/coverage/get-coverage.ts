import type { CheckId, Coverage } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type CoverageRange, readCoverage } from "./read-coverage.ts";

/**
 * Returns which slots of the range have a result, and why the others do not.
 * @throws DomainError `not_found`
 */
export async function getCoverage(
  { services, teamId }: TeamContext,
  { checkId, range }: { checkId: CheckId; range: CoverageRange },
): Promise<Coverage> {
  return readCoverage(services, await getCheckRow(services.knex, teamId, checkId), range);
}
