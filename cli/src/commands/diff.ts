/** Shows the plan of a deploy: `svc diff`. */
import { backtest, printBacktest } from "../deploy/backtest.ts";
import { planMarkdown } from "../deploy/plan-markdown.ts";
import { planOutcome } from "../deploy/plan-outcome.ts";
import { prepareDeploy } from "../deploy/prepare-deploy.ts";
import { publishPlan } from "../deploy/publish-plan.ts";
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";

interface Options {
  backtest?: string;
  publish?: boolean;
  format: "text" | "markdown";
}

/** Defines `svc diff`. Changes nothing; plans deletions only as `svc deploy` without `--prune` would. */
export const command = defineCommand<Options>({
  summary: "show what a deploy would change; exits 5 when someone else changed something",
  answers: async () => (await import("../answers/deploy.ts")).diff,
  options: [
    {
      flags: "--backtest <range>",
      description: "tell how often each new or changed alert rule would have fired, over the last 1d to 30d",
    },
    {
      flags: "--publish",
      description: "publish the plan, to be looked at in the dashboard by a link, for 30 days",
    },
    {
      flags: "--format <format>",
      description: "how the plan is written: for a terminal, or as Markdown for a comment on a pull request",
      choices: ["text", "markdown"],
      default: "text",
    },
  ],
  examples: ["diff", "diff --backtest 7d", "diff --publish --format markdown", "diff --json"],
  async run(context, { backtest: range, publish: isPublishing, format }) {
    if (format === "markdown" && (context.out.isJson || range !== undefined))
      throw generalError("--format markdown can't be used with --json or --backtest");
    const prepared = await prepareDeploy(context, { isPruning: false });
    const outcome = planOutcome(prepared);
    const rules = range === undefined ? undefined : await backtest({ ...prepared, out: context.out }, range);
    const published = isPublishing ? await publishPlan({ ...prepared, env: context.system.env }) : undefined;
    return {
      ...outcome,
      data: {
        ...(outcome.data as object),
        ...(rules && { backtest: rules }),
        ...(published && { published }),
      },
      print: (out) => {
        if (format === "markdown") {
          for (const line of planMarkdown(out, prepared)) out.line(line);
          if (published) out.line(`\n[The plan in the dashboard](<${out.text(published.url)}>)`);
          return;
        }
        outcome.print?.(out);
        if (rules) printBacktest(out, rules);
        if (published) out.line(`Published: ${out.text(published.url)}`);
      },
    };
  },
});
