import { type CheckId, notFound, parseResultId, type Result, type ResultId, resultIdOf } from "@svc/contract";
import { getCheckRow } from "../checks/get-check.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { readNeighbors } from "./keys-store.ts";
import { readResults } from "./read-results.ts";

/** A result and its neighbors at its location; null: there is none. */
export interface ResultInTime {
  result: Result;
  previousId: ResultId | null;
  nextId: ResultId | null;
}

/**
 * Returns one result of the check, with its detail.
 * @throws DomainError `not_found`: the check or the result is unknown, or the result is another check's
 */
export async function getResult(
  { services, teamId }: TeamContext,
  { checkId, resultId }: { checkId: CheckId; resultId: ResultId },
): Promise<ResultInTime> {
  const check = await getCheckRow(services.knex, teamId, checkId);
  const key = parseResultId(resultId);
  if (key?.checkKey !== check.key) throw notFound("Result");
  const [result] = await readResults(services, check, { keys: [key], withDetail: true });
  if (!result) throw notFound("Result");
  const { previousMs, nextMs } = await readNeighbors(services.knex, key, services.clock.nowMs());
  const idAt = (slotMs: number | null) => (slotMs === null ? null : resultIdOf({ ...key, slotMs }));
  return { result, previousId: idAt(previousMs), nextId: idAt(nextMs) };
}
