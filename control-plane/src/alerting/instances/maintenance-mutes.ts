/** Maintenance windows as mutes of alerts. */
import type { CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { activeWindowsFor } from "../../checks/maintenance/held-store.ts";

/** Returns those of the checks that a maintenance window holds for at the instant; one read per team. */
export async function findChecksInMaintenance(
  db: Knex,
  checks: readonly { teamId: TeamId; checkId: CheckId }[],
  atMs: number,
): Promise<Set<CheckId>> {
  const byTeam = new Map<TeamId, Set<CheckId>>();
  for (const { teamId, checkId } of checks)
    byTeam.set(teamId, (byTeam.get(teamId) ?? new Set()).add(checkId));
  const inMaintenance = new Set<CheckId>();
  for (const [teamId, checkIds] of byTeam)
    for (const { checkId } of await activeWindowsFor(db, { teamId, checkIds: [...checkIds], atMs }))
      inMaintenance.add(checkId);
  return inMaintenance;
}
