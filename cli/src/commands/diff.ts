/** Shows the plan of a deploy: `svc diff`. */
import { backtest, printBacktest } from "../deploy/backtest.ts";
import { planOutcome } from "../deploy/plan-outcome.ts";
import { prepareDeploy } from "../deploy/prepare-deploy.ts";
import { defineCommand } from "../runtime/command.ts";

/** Defines `svc diff`. Changes nothing; plans deletions only as `svc deploy` without `--prune` would. */
export const command = defineCommand<{ backtest?: string }>({
  summary: "show what a deploy would change; exits 5 when someone else changed something",
  options: [
    {
      flags: "--backtest <range>",
      description: "tell how often each new or changed alert rule would have fired, over the last 1d to 30d",
    },
  ],
  examples: ["diff", "diff --backtest 7d", "diff --json"],
  async run(context, { backtest: range }) {
    const prepared = await prepareDeploy(context, { isPruning: false });
    const outcome = planOutcome(prepared);
    if (range === undefined) return outcome;
    const rules = await backtest({ ...prepared, out: context.out }, range);
    return {
      ...outcome,
      data: { ...(outcome.data as object), backtest: rules },
      print: (out) => {
        outcome.print?.(out);
        printBacktest(out, rules);
      },
    };
  },
});
