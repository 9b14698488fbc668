/** Brings the service into the state that the config describes: `svc deploy`. */

import { driftJson, type PlannedChange } from "@svc/as-code/plan";
import { counted } from "@svc/contract";
import { applyAndKeep } from "../deploy/apply-and-keep.ts";
import type { Applied } from "../deploy/apply-plan.ts";
import { printCapacity } from "../deploy/capacity.ts";
import { driftError } from "../deploy/deploy-errors.ts";
import { type FirstResult, waitForFirstResults } from "../deploy/first-results.ts";
import { limitError } from "../deploy/plan-limits.ts";
import { planData, planOutcome } from "../deploy/plan-outcome.ts";
import { type PreparedDeploy, prepareDeploy } from "../deploy/prepare-deploy.ts";
import { printPlan } from "../deploy/print-plan.ts";
import { skippedChanges } from "../deploy/skipped-changes.ts";
import type { Output } from "../output/output.ts";
import { CliError, generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { failureOf } from "../runtime/failure.ts";

interface Options {
  dryRun?: boolean;
  prune?: boolean;
  force?: boolean;
  acceptRemote?: boolean;
  wait?: boolean;
}

/** Defines `svc deploy`. With `--dry-run` nothing is changed. */
export const command = defineCommand<Options>({
  summary: "make the service what the config says",
  answers: async () => (await import("../answers/deploy.ts")).deploy,
  options: [
    { flags: "--dry-run", description: "show the plan and change nothing" },
    { flags: "--prune", description: "delete what the config does not have" },
    { flags: "--force", description: "apply over what someone else changed since the last deploy" },
    { flags: "--accept-remote", description: "leave alone what someone else changed since the last deploy" },
    { flags: "--wait", description: "wait up to 3 minutes for the first result of each new monitor" },
  ],
  examples: ["deploy --dry-run", "deploy --prune --wait", "deploy --json"],
  async run(context, options): Promise<CommandOutcome> {
    const { dryRun = false, prune = false, force = false, acceptRemote = false, wait = false } = options;
    if (force && acceptRemote) throw generalError("--force and --accept-remote can't be combined");
    const prepared = await prepareDeploy(context, { isPruning: prune });
    const { plan, drifted, exceeded } = prepared;
    if (dryRun) return planOutcome(prepared, { isSettled: force || acceptRemote, isSkipping: acceptRemote });
    if (exceeded.length > 0) {
      if (!context.out.isJson) printPlan(context.out, plan);
      throw limitError(exceeded);
    }
    if (drifted.length > 0 && !force && !acceptRemote) {
      if (!context.out.isJson) printPlan(context.out, plan);
      throw driftError(plan, drifted);
    }
    const skipped = acceptRemote ? skippedChanges(plan, drifted) : new Set<PlannedChange>();
    if (!context.out.isJson) {
      printPlan(context.out, plan);
      printCapacity(context.out, prepared.capacity);
    }
    const applied = await applyAndKeep(context, prepared, skipped);
    const waited = wait ? await firstResultsOf(context, prepared, applied) : undefined;
    return {
      data: {
        ...planData(prepared),
        dryRun: false,
        applied: applied.done.length,
        skipped: driftJson([...skipped]),
        ...(waited ? { firstResults: waited } : {}),
      },
      print: (out) => printApplied(out, { count: applied.done.length, skippedCount: skipped.size, waited }),
      ...(waited?.some(({ status }) => status !== "success") ? { exit: "partial_failure" as const } : {}),
    };
  },
});

/**
 * Waits for the first results of the created checks.
 * @throws CliError partial_failure when the waiting ends early: the changes themselves are made
 */
async function firstResultsOf(
  context: Context,
  { api }: PreparedDeploy,
  { createdChecks, done }: Applied,
): Promise<FirstResult[]> {
  const { out, signal } = context;
  try {
    return await waitForFirstResults(createdChecks, {
      api,
      signal,
      monotonicMs: () => context.system.monotonicMs(),
      onProgress: (waiting) => out.progress(`waiting for ${waiting} first results`),
    });
  } catch (error) {
    const why = signal.aborted ? "interrupted" : failureOf(error, context.apiUrl()).message;
    const count = done.length;
    throw new CliError(
      "partial_failure",
      `${count} change${count === 1 ? " is" : "s are"} applied; waiting for first results ended early: ${why}`,
      { hint: "Run svc status to see them", details: { applied: count } },
    );
  }
}

interface AppliedSummary {
  count: number;
  skippedCount: number;
  /** First results of new monitors; undefined when nobody waited for them. */
  waited: readonly FirstResult[] | undefined;
}

function printApplied(out: Output, { count, skippedCount, waited }: AppliedSummary): void {
  if (skippedCount > 0) out.line(`${skippedCount} left alone, as they are on the service`);
  out.line(count === 0 ? "Nothing to apply." : out.colors.green(`Applied ${counted(count, "change")}.`));
  for (const { name, status } of waited ?? []) {
    const text = status ?? "no result within 3 minutes";
    out.line(`  ${status === "success" ? out.colors.green(text) : out.colors.red(text)}  ${out.text(name)}`);
  }
}
