import type { CommandOutcome } from "../runtime/command.ts";
import { driftJson, planChangesJson, summaryOf } from "./plan-json.ts";
import type { PreparedDeploy } from "./prepare-deploy.ts";
import { printPlan } from "./print-plan.ts";
import { skippedChanges } from "./skipped-changes.ts";

/**
 * Builds the outcome of `deploy --dry-run` and `diff`.
 * @param options.isSettled true when a flag decides about drift; drift then has no exit code of its own
 * @param options.isSkipping true when drifted resources would be left alone
 */
export function planOutcome(
  prepared: PreparedDeploy,
  { isSettled = false, isSkipping = false }: { isSettled?: boolean; isSkipping?: boolean } = {},
): CommandOutcome {
  const { plan, drifted } = prepared;
  const skipped = isSkipping ? [...skippedChanges(plan, drifted)] : [];
  return {
    data: { ...planData(prepared), dryRun: true, ...(isSkipping ? { skipped: driftJson(skipped) } : {}) },
    print: (out) => {
      printPlan(out, plan);
      if (skipped.length > 0) out.line(`${skipped.length} would be left alone, as they are on the service`);
    },
    ...(drifted.length > 0 && !isSettled ? { exit: "drift_detected" as const } : {}),
  };
}

/** Returns the fields of `data` that `deploy`, `deploy --dry-run` and `diff` share. */
export function planData({ plan, drifted }: Pick<PreparedDeploy, "plan" | "drifted">) {
  return {
    project: plan.project,
    ...(plan.renamedFrom === undefined ? {} : { renamedFrom: plan.renamedFrom }),
    changes: planChangesJson(plan),
    summary: summaryOf(plan),
    drift: driftJson(drifted),
    prunable: plan.prunable,
    leftAlone: plan.leftAlone,
    locationNotices: plan.locationNotices,
  };
}
