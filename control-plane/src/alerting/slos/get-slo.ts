import { notFound, type Slo, type SloId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { sloFromRow } from "./row.ts";
import { findSloRow } from "./store.ts";

/**
 * Returns an SLO of the team.
 * @throws DomainError `not_found`
 */
export async function getSlo({ services, teamId }: TeamContext, { id }: { id: SloId }): Promise<Slo> {
  const row = await findSloRow(services.knex, teamId, id);
  if (!row) throw notFound("SLO");
  return sloFromRow(row);
}
