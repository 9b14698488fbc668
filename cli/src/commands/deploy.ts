/** `svc deploy`: makes the service what the config says. */

import type { Applied } from "../deploy/apply-plan.ts";
import { applyAndKeep, driftError, driftRecords, type Prepared, prepare } from "../deploy/deploy.ts";
import { type FirstResult, waitForFirstResults } from "../deploy/first-results.ts";
import type { Change } from "../deploy/planned-change.ts";
import { changeRecords, printPlan, summaryOf } from "../deploy/print-plan.ts";
import type { Output } from "../output/output.ts";
import { CliError, generalError } from "../runtime/cli-error.ts";
import { defineCommand, type Outcome } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { failureOf } from "../runtime/failure.ts";

interface Options {
  dryRun?: boolean;
  prune?: boolean;
  force?: boolean;
  acceptRemote?: boolean;
  wait?: boolean;
}

export const command = defineCommand<Options>({
  summary: "make the service what the config says",
  options: [
    { flags: "--dry-run", description: "show the plan and change nothing" },
    { flags: "--prune", description: "delete what the config does not have" },
    { flags: "--force", description: "apply over what someone else changed since the last deploy" },
    { flags: "--accept-remote", description: "leave alone what someone else changed since the last deploy" },
    { flags: "--wait", description: "wait up to 3 minutes for the first result of each new monitor" },
  ],
  examples: ["deploy --dry-run", "deploy --prune --wait", "deploy --json"],
  async run(context, options): Promise<Outcome> {
    const { dryRun = false, prune = false, force = false, acceptRemote = false, wait = false } = options;
    if (force && acceptRemote) throw generalError("--force and --accept-remote can't be combined");
    const prepared = await prepare(context, { isPruning: prune });
    const { plan, drifted } = prepared;
    if (dryRun) return planOutcome(prepared, { isSettled: force || acceptRemote, isSkipping: acceptRemote });
    if (drifted.length > 0 && !force && !acceptRemote) {
      if (!context.out.isJson) printPlan(context.out, plan);
      throw driftError(plan, drifted);
    }
    const skipped = new Set<Change>(acceptRemote ? drifted : []);
    if (!context.out.isJson) printPlan(context.out, plan);
    const applied = await applyAndKeep(context, prepared, skipped);
    const waited = wait ? await firstResultsOf(context, prepared, applied) : undefined;
    return {
      data: {
        ...planData(prepared),
        dryRun: false,
        applied: applied.done.length,
        skipped: driftRecords([...skipped]),
        ...(waited ? { firstResults: waited } : {}),
      },
      print: (out) => printApplied(out, applied.done.length, skipped.size, waited),
      ...(waited?.some(({ status }) => status !== "success") ? { exit: "partial_failure" as const } : {}),
    };
  },
});

/** @throws CliError partial_failure when the waiting ends early: the changes themselves are made */
async function firstResultsOf(
  context: Context,
  { api }: Prepared,
  { createdChecks, done }: Applied,
): Promise<FirstResult[]> {
  const { out, signal } = context;
  try {
    return await waitForFirstResults(createdChecks, {
      api,
      signal,
      onProgress: (waiting) => out.progress(`waiting for ${waiting} first results`),
    });
  } catch (error) {
    const why = signal.aborted ? "interrupted" : failureOf(error, context.apiUrl()).message;
    const { length: count } = done;
    throw new CliError(
      "partial_failure",
      `${count} change${count === 1 ? " is" : "s are"} applied; waiting for first results ended early: ${why}`,
      { hint: "Run svc status to see them", details: { applied: count } },
    );
  }
}

/**
 * What `deploy --dry-run` and `diff` answer.
 * @param isSettled a flag says what becomes of drift   @param isSkipping it is left alone
 */
export function planOutcome(
  prepared: Prepared,
  { isSettled = false, isSkipping = false }: { isSettled?: boolean; isSkipping?: boolean } = {},
): Outcome {
  const { plan, drifted } = prepared;
  const skipped = isSkipping ? drifted : [];
  return {
    data: { ...planData(prepared), dryRun: true, ...(isSkipping ? { skipped: driftRecords(skipped) } : {}) },
    print: (out) => {
      printPlan(out, plan);
      if (skipped.length > 0) out.line(`${skipped.length} would be left alone, as they are on the service`);
    },
    ...(drifted.length > 0 && !isSettled ? { exit: "drift_detected" as const } : {}),
  };
}

function planData({ plan, drifted }: Prepared) {
  return {
    project: plan.project,
    changes: changeRecords(plan),
    summary: summaryOf(plan),
    drift: driftRecords(drifted),
    prunable: plan.prunable,
  };
}

function printApplied(
  out: Output,
  count: number,
  skippedCount: number,
  waited: readonly FirstResult[] | undefined,
): void {
  if (skippedCount > 0) out.line(`${skippedCount} left alone, as they are on the service`);
  out.line(
    count === 0 ? "Nothing to apply." : out.colors.green(`Applied ${count} change${count === 1 ? "" : "s"}.`),
  );
  for (const { name, status } of waited ?? []) {
    const text = status ?? "no result within 3 minutes";
    out.line(`  ${status === "success" ? out.colors.green(text) : out.colors.red(text)}  ${out.text(name)}`);
  }
}
