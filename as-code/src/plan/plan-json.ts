/** A plan for programs: the fields of `data` in --json. */
import type { Plan, PlannedChange } from "./planned-change.ts";

/** Number of resources by what the plan does with them. */
export interface PlanSummary {
  create: number;
  update: number;
  delete: number;
  unchanged: number;
}

/** Counts the changes of a plan by their type. */
export function summaryOf({ changes }: Pick<Plan, "changes">): PlanSummary {
  const summary = { create: 0, update: 0, delete: 0, unchanged: 0 };
  for (const { type } of changes) summary[type]++;
  return summary;
}

/** Lists the plan's changes. Field by field, so that never a whole resource with its credentials is written. */
export function planChangesJson({ changes }: Pick<Plan, "changes">) {
  return changes.map((change) => {
    const { kind, name, remoteId, type, fieldChanges, drift } = change;
    return {
      type,
      kind,
      name,
      remoteId,
      fieldChanges,
      ...(drift ? { drift } : {}),
      ...(change.kind === "alert_policy" ? { monitors: change.monitors } : {}),
      ...(change.kind === "check" ? { checkType: change.checkType, ...createdSchedule(change) } : {}),
    };
  });
}

/** Returns the frequency and number of locations of a check that is created; nothing for any other change. */
export function createdSchedule(
  change: PlannedChange,
): { frequencySeconds: number; locationCount: number } | undefined {
  if (change.kind !== "check" || change.type !== "create" || !change.desired) return undefined;
  const { frequencySeconds, locations } = change.desired;
  return { frequencySeconds, locationCount: locations.length };
}

/** Returns the drifted resources as `--json` prints them. */
export function driftJson(drifted: readonly PlannedChange[]) {
  return drifted.map(({ kind, name, remoteId, drift }) => ({ kind, name, remoteId, result: drift }));
}
