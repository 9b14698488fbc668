import type { Annotation, CheckId } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { rangeOf } from "../../results/range-of.ts";
import { readAnnotations } from "./store.ts";

/** Longest range of annotations, days. */
const DAYS_MAX = 400;

/**
 * Returns what happened to the team's checks, or to one of them, in a time range; newest first, and of too many the newest.
 * @param input `from` and `to`: ISO instants; by default the last 24 hours
 * @throws DomainError `not_found` of a check that is not the team's; `invalid` of a range that ends before it begins or is too long
 */
export async function listAnnotations(
  { services: { knex, clock }, teamId }: Pick<TeamContext, "services" | "teamId">,
  {
    checkId,
    from,
    to,
  }: { checkId?: CheckId | undefined; from?: string | undefined; to?: string | undefined },
): Promise<Annotation[]> {
  const range = rangeOf({ from, to }, clock.nowMs(), DAYS_MAX);
  const check = checkId === undefined ? undefined : await getCheckRow(knex, teamId, checkId);
  return readAnnotations(knex, teamId, { ...range, check });
}
