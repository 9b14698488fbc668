import { type MaintenanceWindow, type MaintenanceWindowId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { findWindowRow, type WindowRow } from "./store.ts";

/**
 * Returns a window of the team.
 * @throws DomainError `not_found` when the id is unknown, deleted or another team's
 */
export async function getWindow(
  { services, teamId }: TeamContext,
  { id }: { id: MaintenanceWindowId },
): Promise<MaintenanceWindow> {
  const row = await findWindowRow(services.knex, { teamId, id, nowMs: services.clock.nowMs() });
  if (!row) throw notFound("Maintenance window");
  return windowFromRow(row);
}

/** Returns a window as the API shows it. */
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

/** Returns the fields of a window that people set, as the change log compares them. */
export function describeWindow(row: WindowRow): Record<string, unknown> {
  const { id, teamId, active, nextStartsAt, createdAt, updatedAt, ...described } = windowFromRow(row);
  return described;
}
