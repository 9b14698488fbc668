/** `svc diff`: the plan of a deploy. */

import { prepare } from "../deploy/deploy.ts";
import { defineCommand } from "../runtime/command.ts";
import { planOutcome } from "./deploy.ts";

export const command = defineCommand({
  summary: "show what a deploy would change; exits 5 when someone else changed something",
  examples: ["diff", "diff --json"],
  run: async (context) => planOutcome(await prepare(context, { isPruning: false })),
});
