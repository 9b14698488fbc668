/** Routes of what a language model writes from a description, beside scripts, which POST /api/checks/generate answers. */
import { errorSchema } from "../base/error-schema.ts";
import {
  CONFIG_REPAIRS_MAX,
  generateConfigSchema,
  generatedConfigSchema,
} from "../config/generated-config.ts";
import { defineRoute } from "./route.ts";

/** Routes of generation, by operation. */
export const generationRoutes = {
  config: defineRoute({
    method: "POST",
    path: "/api/generate",
    access: "changes",
    tag: "Deploys",
    summary: "Propose a config for a description, with its plan",
    description: [
      "A language model writes checks, rules, SLOs, policies and windows for the description. Entries of checks that exist keep what they don't name.",
      `What it wrote is checked as \`svc validate\` does and planned as \`svc diff\` does, and repaired up to ${CONFIG_REPAIRS_MAX} times; a proposal that stays invalid is answered 503 with what is wrong. Nothing is applied: \`svc deploy\` does that.`,
      "The model gets the names of the team's checks, labels, channels and locations. 429 beyond the plan's generations of the month or two at a time; 503 where no model is set up.",
    ].join(" "),
    body: generateConfigSchema,
    answer: generatedConfigSchema,
    otherAnswers: { 503: errorSchema },
  }),
};
