import { ANALYSES_PER_CHECK, type CheckId, type LastAnalysis } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { hasNewerResults } from "./has-newer-results.ts";
import { countAnalyses, findLastAnalysis } from "./store.ts";

/**
 * Returns the insight of a check's last analysis; null when there was none. Not counted as an analysis.
 * @throws DomainError `not_found`
 */
export async function getLastAnalysis(
  { services, teamId }: TeamContext,
  { id }: { id: CheckId },
): Promise<LastAnalysis> {
  const { knex } = services;
  const check = await getCheckRow(knex, teamId, id);
  const last = await findLastAnalysis(knex, check.key);
  return {
    insight: last?.insight ?? null,
    stale: last !== undefined && (await hasNewerResults(services, check, last.newestSlotMs ?? undefined)),
    deepAnalysisCount: await countAnalyses(knex, check.key),
    deepAnalysisLimit: ANALYSES_PER_CHECK,
  };
}
