/**
 * Generates a part of a config from a description: a language model writes a fragment, which is completed by what the team has,
 * checked as `svc validate` does, planned as `svc diff` does, and repaired from what is wrong with it. Nothing is applied.
 */
import { CONFIG_REPAIRS_MAX, DomainError, type GenerateConfig, type GeneratedConfig } from "@svc/contract";
import type { JudgedFragment } from "../configs/fragment-jobs.ts";
import { judgeFragment } from "../configs/judge-fragment.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { type ConfigDraft, configDraftIn } from "./config-draft.ts";
import { askModel, type ModelParts } from "./generator.ts";
import { WRITE_CONFIG } from "./prompts.ts";
import { readTeamNames } from "./team-names.ts";

/** Longest answer of the model, tokens. */
const TOKENS_MAX = 8_000;
/** Shortest time in which an answer is begun, ms. */
const ANSWER_MS_MIN = 3_000;
/** Most problems that the model, and the reader of an error, are shown. */
const PROBLEMS_MAX = 20;
/** Most changes that a proposal's plan lists. */
const CHANGES_MAX = 500;
const TOO_MUCH = "The team has too much to compare it here: svc diff tells what a deploy would change.";

/** An answer of the model, and what is wrong with it. */
interface JudgedDraft {
  draft: ConfigDraft | undefined;
  judged: JudgedFragment | undefined;
  problems: string[];
}

/**
 * Returns a proposal for the description that a deploy would accept.
 * @throws DomainError `unavailable` when the model gives none, with what is wrong with its last one
 */
export async function generateConfig(
  ctx: TeamContext,
  { description }: GenerateConfig,
  parts: ModelParts,
): Promise<GeneratedConfig> {
  const team = await readTeamNames(ctx, description);
  const now = new Date(ctx.services.clock.nowMs()).toISOString();
  let lastTry: { answer: string; problems: string[] } | undefined;
  for (let attempt = 0; attempt <= CONFIG_REPAIRS_MAX; attempt++) {
    if (lastTry && parts.remainingMs() < ANSWER_MS_MIN) break;
    const input = { description, now, team, lastTry };
    const answer = await askModel(ctx, { prompt: WRITE_CONFIG, input, outputTokensMax: TOKENS_MAX }, parts);
    const { draft, judged, problems } = await judge(ctx, answer);
    if (draft && judged && problems.length === 0)
      return { description, model: parts.model.name, ...proposalOf(draft, judged) };
    lastTry = { answer, problems: problems.slice(0, PROBLEMS_MAX) };
  }
  throw new DomainError(
    "unavailable",
    `The language model wrote no valid config; say more, or name the checks as they are called. Its last try: ${lastTry?.problems.join("; ")}`,
  );
}

async function judge(ctx: TeamContext, answer: string): Promise<JudgedDraft> {
  const draft = configDraftIn(answer);
  if ("problem" in draft) return { draft: undefined, judged: undefined, problems: [draft.problem] };
  const judged = await judgeFragment(ctx, { text: draft.fragment });
  const refusal = judged.plan?.refusal;
  return { draft, judged, problems: refusal === undefined ? judged.problems : refusal.split("\n") };
}

function proposalOf(
  { explanation, warnings }: ConfigDraft,
  { config, scripts, secrets, plan }: JudgedFragment,
): Omit<GeneratedConfig, "description" | "model"> {
  const changes = plan?.changes.slice(0, CHANGES_MAX) ?? [];
  const left = (plan?.changes.length ?? 0) - changes.length;
  return {
    config,
    scripts,
    secrets,
    explanation,
    warnings: [
      ...warnings,
      ...(plan?.notes ?? [TOO_MUCH]),
      ...(left > 0 ? [`The plan has ${left} further changes, which are not listed.`] : []),
    ],
    plan: plan
      ? {
          summary: plan.summary,
          changes: changes.map(({ type, kind, name, remoteId, fieldChanges }) => ({
            type,
            kind,
            name,
            remoteId,
            fieldChanges,
          })),
        }
      : null,
  };
}
