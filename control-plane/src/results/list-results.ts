import type { CheckId, Result } from "@svc/contract";
import { getCheckRow } from "../checks/get-check.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { type ResultsPage, readResultsPage } from "./read-results.ts";

/**
 * Returns a page of a check's results, newest first.
 * @throws DomainError `not_found`
 */
export async function listResults(
  { services, teamId }: TeamContext,
  { checkId, ...page }: ResultsPage & { checkId: CheckId },
): Promise<Result[]> {
  return readResultsPage(services, await getCheckRow(services.knex, teamId, checkId), page);
}
