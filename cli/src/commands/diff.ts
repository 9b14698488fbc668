/** Shows the plan of a deploy: `svc diff`. */
import { planOutcome } from "../deploy/plan-outcome.ts";
import { prepareDeploy } from "../deploy/prepare-deploy.ts";
import { defineCommand } from "../runtime/command.ts";

/** Defines `svc diff`. Changes nothing; plans deletions only as `svc deploy` without `--prune` would. */
export const command = defineCommand({
  summary: "show what a deploy would change; exits 5 when someone else changed something",
  examples: ["diff", "diff --json"],
  run: async (context) => planOutcome(await prepareDeploy(context, { isPruning: false })),
});
