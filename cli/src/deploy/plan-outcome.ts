import { driftJson, planChangesJson, summaryOf } from "@svc/as-code/plan";
import type { CommandOutcome } from "../runtime/command.ts";
import { printCapacity } from "./capacity.ts";
import type { PreparedDeploy } from "./prepare-deploy.ts";
import { printPlan } from "./print-plan.ts";
import { skippedChanges } from "./skipped-changes.ts";

/**
 * Builds the outcome of `deploy --dry-run` and `diff`. A limit that the deploy would exceed decides the exit code before drift.
 * @param options.isSettled true when a flag decides about drift; drift then has no exit code of its own
 * @param options.isSkipping true when drifted resources would be left alone
 */
export function planOutcome(
  prepared: PreparedDeploy,
  { isSettled = false, isSkipping = false }: { isSettled?: boolean; isSkipping?: boolean } = {},
): CommandOutcome {
  const { plan, drifted, exceeded, capacity } = prepared;
  const skipped = isSkipping ? [...skippedChanges(plan, drifted)] : [];
  return {
    data: {
      ...planData(prepared),
      limits: exceeded,
      dryRun: true,
      ...(isSkipping ? { skipped: driftJson(skipped) } : {}),
    },
    print: (out) => {
      printPlan(out, plan);
      printCapacity(out, capacity);
      if (skipped.length > 0) out.line(`${skipped.length} would be left alone, as they are on the service`);
      for (const { message } of exceeded) out.line(out.colors.red(`Beyond a limit: ${out.text(message)}`));
    },
    ...(exceeded.length > 0
      ? { exit: "plan_limit" as const }
      : drifted.length > 0 && !isSettled
        ? { exit: "drift_detected" as const }
        : {}),
  };
}

/** Returns the fields of `data` that `deploy`, `deploy --dry-run` and `diff` share. */
export function planData({ plan, drifted, capacity }: Pick<PreparedDeploy, "plan" | "drifted" | "capacity">) {
  return {
    project: plan.project,
    ...(plan.renamedFrom === undefined ? {} : { renamedFrom: plan.renamedFrom }),
    changes: planChangesJson(plan),
    summary: summaryOf(plan),
    drift: driftJson(drifted),
    prunable: plan.prunable,
    leftAlone: plan.leftAlone,
    locationNotices: plan.locationNotices,
    ...(capacity && { capacity }),
  };
}
