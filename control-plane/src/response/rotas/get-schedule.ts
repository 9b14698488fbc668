import {
  DAY_MS,
  dutiesBetween,
  invalidField,
  notFound,
  type RotaDuty,
  type RotaId,
  SCHEDULE_DAYS_DEFAULT,
  SCHEDULE_DAYS_MAX,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { dutyFrom, dutyRotaOf } from "./row.ts";
import { findRotaRow } from "./store.ts";

/** A rota, and the time that is asked for: ISO 8601. */
export interface ScheduleInput {
  id: RotaId;
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Returns who of a rota is on duty in a span of time, the earliest first.
 * @throws DomainError `not_found` when the team has no such rota; `invalid` for a span that is none, too long or too far away
 */
export async function getSchedule(
  { services, teamId }: TeamContext,
  { id, from, to }: ScheduleInput,
): Promise<RotaDuty[]> {
  const row = await findRotaRow(services.knex, teamId, id);
  if (!row) throw notFound("Rota");
  const fromMs = from === undefined ? services.clock.nowMs() : Date.parse(from);
  const toMs = to === undefined ? fromMs + SCHEDULE_DAYS_DEFAULT * DAY_MS : Date.parse(to);
  if (toMs <= fromMs) throw invalidField("to", "has to be after from");
  if (toMs - fromMs > SCHEDULE_DAYS_MAX * DAY_MS)
    throw invalidField("to", `at most ${SCHEDULE_DAYS_MAX} days after from`);
  for (const [field, atMs] of Object.entries({ from: fromMs, to: toMs })) {
    const year = new Date(atMs).getUTCFullYear();
    if (year < 1970 || year > 2199) throw invalidField(field, "expected a year from 1970 to 2199");
  }
  return dutiesBetween(dutyRotaOf(row), fromMs, toMs).map(dutyFrom);
}
