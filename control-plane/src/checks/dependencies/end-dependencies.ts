import type { CheckId } from "@svc/contract";
import type { Knex } from "knex";
import type { ChangeEntry } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { removeDependency } from "./store.ts";

/** Most checks whose change the log names one by one, when a check goes on which thousands may depend. */
const ENTRIES_MAX = 100;

/**
 * Lets the checks that depend on a check go on without it. Call it under the lock of the team's dependencies.
 * @returns the entries of the change log, of 100 checks at most
 */
export async function endDependencies(
  { services, teamId }: TeamContext,
  trx: Knex,
  id: CheckId,
): Promise<ChangeEntry[]> {
  const left = await removeDependency(trx, { teamId, id, atMs: services.clock.nowMs() });
  return left.slice(0, ENTRIES_MAX).map((check) => ({
    action: "updated",
    type: "check",
    resourceId: check.id,
    name: check.name,
    changedFields: [
      {
        field: "dependsOn",
        oldValue: [...check.dependsOn, id],
        newValue: check.dependsOn.length > 0 ? check.dependsOn : null,
      },
    ],
  }));
}
