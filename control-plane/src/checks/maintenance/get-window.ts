import { type MaintenanceWindow, notFound, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { findWindowRow, listWindowRows, type WindowRow } from "./store.ts";

/** The team's windows, newest first. */
export async function listWindows({ knex, clock }: Services, teamId: TeamId): Promise<MaintenanceWindow[]> {
  return (await listWindowRows(knex, teamId, clock.nowMs())).map(windowFromRow);
}

/** @throws DomainError not_found (unknown, deleted, or another team's) */
export async function getWindow(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
): Promise<MaintenanceWindow> {
  const row = await findWindowRow(knex, teamId, id, clock.nowMs());
  if (!row) throw notFound("Maintenance window");
  return windowFromRow(row);
}

/** A window as the API answers it. */
export function windowFromRow(row: WindowRow): MaintenanceWindow {
  return {
    id: row.id,
    teamId: row.teamId,
    name: row.name,
    mode: row.mode,
    checkIds: row.isForAllChecks ? "all" : row.checkIds,
    startsAt: row.startsAt,
    endsAt: row.endsAt,
    recurring: row.recurrenceRule !== null,
    recurrenceRule: row.recurrenceRule,
    timezone: row.timezone,
    active: row.isActive,
    nextStartsAt: row.nextStartsAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** What of a window a person set, as the change log compares it. */
export function describeWindow(row: WindowRow): Record<string, unknown> {
  const { id, teamId, active, nextStartsAt, createdAt, updatedAt, ...described } = windowFromRow(row);
  return described;
}
