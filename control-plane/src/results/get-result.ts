import { type CheckId, notFound, parseResultId, type Result, type ResultId } from "@svc/contract";
import { getCheckRow } from "../checks/get-check.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { readResults } from "./read-results.ts";

/**
 * Returns one result of the check, with its detail.
 * @throws DomainError `not_found`: the check or the result is unknown, or the result is another check's
 */
export async function getResult(
  { services, teamId }: TeamContext,
  { checkId, resultId }: { checkId: CheckId; resultId: ResultId },
): Promise<Result> {
  const check = await getCheckRow(services.knex, teamId, checkId);
  const key = parseResultId(resultId);
  const keys = key?.checkKey === check.key ? [key] : [];
  const [result] = await readResults(services, check, { keys, withDetail: true });
  if (!result) throw notFound("Result");
  return result;
}
