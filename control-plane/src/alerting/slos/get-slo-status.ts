import { notFound, type SloId, type SloStatus } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { readStatusCounts } from "./read-status-counts.ts";
import { type StatusCounts, sloStatusOf } from "./slo-status.ts";
import { findSloRow } from "./store.ts";

/**
 * Returns where an SLO stands now, whether it is enabled or not.
 * @throws DomainError `not_found`
 */
export async function getSloStatus(
  { services, teamId }: TeamContext,
  { id }: { id: SloId },
): Promise<SloStatus> {
  const { knex, clock } = services;
  const row = await findSloRow(knex, teamId, id);
  if (!row) throw notFound("SLO");
  const [counts] = await readStatusCounts(knex, [row], clock.nowMs());
  return sloStatusOf(row, counts as StatusCounts);
}
