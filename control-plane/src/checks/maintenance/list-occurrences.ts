import type { MaintenanceOccurrence } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { listOccurrenceRows } from "./store.ts";

/** Returns the occurrences of all windows of the team that have not ended, the next first. @param input.limit most of them */
export function listOccurrences(
  { services, teamId }: TeamContext,
  { limit }: { limit: number },
): Promise<MaintenanceOccurrence[]> {
  return listOccurrenceRows(services.knex, teamId, { nowMs: services.clock.nowMs(), limit });
}
