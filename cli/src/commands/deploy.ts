/** `svc deploy`: makes the service what the config says. */
import { generalError } from "../cli-error.ts";
import { defineCommand, type Outcome } from "../command.ts";
import type { Context } from "../context.ts";
import type { Change } from "../deploy/change.ts";
import { applyAndKeep, driftError, driftRecords, type Prepared, prepare } from "../deploy/deploy.ts";
import { type FirstResult, waitForFirstResults } from "../deploy/first-results.ts";
import { changeRecords, printPlan, summaryOf } from "../deploy/print-plan.ts";
import type { Output } from "../output/output.ts";

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
    if (dryRun) return planOutcome(prepared);
    const { plan, drifted } = prepared;
    if (drifted.length > 0 && !force && !acceptRemote) {
      if (!context.out.isJson) printPlan(context.out, plan);
      throw driftError(plan, drifted);
    }
    const skipped = new Set<Change>(acceptRemote ? drifted : []);
    if (!context.out.isJson) printPlan(context.out, plan);
    const applied = await applyAndKeep(context, prepared, skipped);
    const waited = wait ? await firstResultsOf(context, prepared, applied.createdChecks) : undefined;
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

function firstResultsOf(
  { out, signal }: Context,
  { api }: Prepared,
  checks: Parameters<typeof waitForFirstResults>[0],
): Promise<FirstResult[]> {
  return waitForFirstResults(checks, {
    ...{ api, signal },
    onProgress: (waiting) => out.progress(`waiting for ${waiting} first results`),
  });
}

/** What `deploy --dry-run` and `diff` answer. */
export function planOutcome(prepared: Prepared): Outcome {
  const { plan, drifted } = prepared;
  return {
    data: { ...planData(prepared), dryRun: true },
    print: (out) => printPlan(out, plan),
    ...(drifted.length > 0 ? { exit: "drift_detected" as const } : {}),
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
