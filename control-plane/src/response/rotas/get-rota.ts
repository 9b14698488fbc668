import { notFound, type Rota, type RotaId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { rotaFromRow } from "./row.ts";
import { findRotaRow } from "./store.ts";

/**
 * Returns a rota with who is on duty now.
 * @throws DomainError `not_found` when the team has no such rota
 */
export async function getRota({ services, teamId }: TeamContext, { id }: { id: RotaId }): Promise<Rota> {
  const row = await findRotaRow(services.knex, teamId, id);
  if (!row) throw notFound("Rota");
  return rotaFromRow(row, services.clock.nowMs());
}
