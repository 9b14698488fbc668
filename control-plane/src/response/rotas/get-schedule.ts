import { dutiesBetween, notFound, type RotaDuty, type RotaId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { dutyFrom, dutyRotaOf } from "./row.ts";
import { findRotaRow } from "./store.ts";

/** A rota, and the time that is asked for: ISO 8601. */
export interface ScheduleInput {
  id: RotaId;
  from: string;
  to: string;
}

/**
 * Returns who of a rota is on duty in a span of time, the earliest first.
 * @throws DomainError `not_found` when the team has no such rota
 */
export async function getSchedule(
  { services, teamId }: TeamContext,
  { id, from, to }: ScheduleInput,
): Promise<RotaDuty[]> {
  const row = await findRotaRow(services.knex, teamId, id);
  if (!row) throw notFound("Rota");
  return dutiesBetween(dutyRotaOf(row), Date.parse(from), Date.parse(to)).map(dutyFrom);
}
