import type { MaintenanceWindow } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { windowFromRow } from "./get-window.ts";
import { listWindowRows } from "./store.ts";

/** Returns the team's windows, newest first. */
export async function listWindows({ services, teamId }: TeamContext): Promise<MaintenanceWindow[]> {
  const rows = await listWindowRows(services.knex, teamId, services.clock.nowMs());
  return rows.map(windowFromRow);
}
