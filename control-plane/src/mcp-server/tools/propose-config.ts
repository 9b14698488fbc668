import { checkRoutes, counted } from "@svc/contract";
import * as z from "zod";
import { type JudgedProposal, judgeProposal } from "../../configs/judge-proposal.ts";
import { shorten } from "../answers/shorten.ts";
import { defineTool } from "./tool.ts";

const TEXT_LENGTH_MAX = 128 * 1024;
/** Problems and changes that are listed. */
const LISTED_MAX = 30;
/** Sizes to which one change is cut. */
const CHANGE_CUT = { characters: 300, items: 30 };

/** Judges a config that somebody would deploy. */
export const proposeConfig = defineTool({
  type: "propose_config",
  title: "Judge a config",
  description:
    "Takes a YAML config as svc.config.yaml has it, or a fragment of one (with the alertChannels that it names), and tells whether it is valid, as svc validate does, and what a deploy would change. Applies nothing: people deploy, with svc deploy.",
  routes: [checkRoutes.getTeamAsCode],
  input: z.strictObject({
    yaml: z
      .string()
      .min(1, "is empty")
      .max(TEXT_LENGTH_MAX, `has at most ${TEXT_LENGTH_MAX} characters`)
      .describe("The text. Credentials are written as {{secrets.NAME}} or {{vault.NAME}}."),
  }),
  async run({ ctx }, { yaml }) {
    return answerOf(await judgeProposal(ctx, { text: yaml }));
  },
});

function answerOf({ problems, plan }: JudgedProposal) {
  if (problems.length > 0)
    return {
      summary: `Not valid: ${counted(problems.length, "problem")}. Nothing was applied.`,
      valid: false,
      problems: problems.slice(0, LISTED_MAX),
    };
  if (!plan)
    return {
      summary: "Valid. The team has too much to compare it here: run svc diff. Nothing was applied.",
      valid: true,
    };
  const { refusal, summary, changes, notes } = plan;
  if (refusal !== undefined)
    return {
      summary: "Valid, but a deploy would be refused. Nothing was applied.",
      valid: true,
      deployable: false,
      problems: refusal.split("\n"),
      notes,
    };
  return {
    summary: `Valid. A deploy would create ${summary.create}, change ${summary.update} and delete ${summary.delete} records; ${summary.unchanged} stay as they are. Nothing was applied: a person runs svc deploy.`,
    valid: true,
    deployable: true,
    counts: summary,
    changes: changes
      .slice(0, LISTED_MAX)
      .map(({ remoteId, ...change }) => shorten({ ...change, id: remoteId }, CHANGE_CUT)),
    ...(changes.length > LISTED_MAX && { more: `${changes.length - LISTED_MAX} further changes` }),
    notes: [
      "Credentials are not compared, nor is the state of the last deploy: svc diff tells drift and renamed records, too.",
      ...notes,
    ],
  };
}
