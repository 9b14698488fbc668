import { ANALYSES_PER_CHECK, type Analysis, type CheckId, type Insight, notFound } from "@svc/contract";
import { loadPlan } from "../../accounts/teams/plans.ts";
import { getCheckRow } from "../../checks/get-check.ts";
import { holdCheckRow } from "../../checks/store.ts";
import type { LanguageModel } from "../../platform/language-model/language-model.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { classify } from "./classify.ts";
import { hasNewerResults } from "./has-newer-results.ts";
import { assertMayAnalyze, monthOf } from "./limits.ts";
import { type LoadedInput, loadAnalysisInput } from "./load-input.ts";
import { WORD_FINDING } from "./prompts.ts";
import { deleteAnalysis, insertAnalysis, readUseExclusively, saveInsight } from "./store.ts";
import { wordFinding } from "./word-finding.ts";

/** `model` of an insight that the rules worded. */
const RULES = "rules";

/** The check to analyze, and the language model that may word the insight. */
export interface AnalyzeCheckInput {
  id: CheckId;
  /** Words the summary; undefined leaves that to the rules. */
  model: LanguageModel | undefined;
}

/**
 * Analyses the stored evidence of a check. The call is counted before the work, so that calls at once can't pass the limits
 * together; work that fails is not counted.
 * @throws DomainError `not_found` or `rate_limited`
 */
export async function analyzeCheck(ctx: TeamContext, { id, model }: AnalyzeCheckInput): Promise<Analysis> {
  const { services, teamId } = ctx;
  const { knex } = services;
  const { key, count } = await beginAnalysis(ctx, id);
  try {
    const check = await getCheckRow(knex, teamId, id);
    const loaded = await loadAnalysisInput(services, check);
    const { newestSlotMs } = loaded;
    const insight = await insightOf(services, model, loaded);
    await saveInsight(knex, key, { insight, newestSlotMs });
    const stale = await hasNewerResults(services, check, newestSlotMs);
    return { insight, stale, deepAnalysisCount: count, deepAnalysisLimit: ANALYSES_PER_CHECK };
  } catch (error) {
    await deleteAnalysis(knex, key).catch(() => undefined);
    throw error;
  }
}

/**
 * Counts the analysis.
 * @returns the analysis' key, and the number of the check's analyses, this one included
 */
async function beginAnalysis(
  { services, teamId }: TeamContext,
  id: CheckId,
): Promise<{ key: number; count: number }> {
  return services.knex.transaction(async (trx) => {
    const check = await holdCheckRow(trx, teamId, id);
    if (!check) throw notFound("Check");
    const nowMs = services.clock.nowMs();
    const { analysisQuotaPerMonth } = await loadPlan(trx, teamId);
    const monthFromMs = monthOf(nowMs).fromMs;
    const use = await readUseExclusively(trx, { teamId, checkKey: check.key, monthFromMs });
    assertMayAnalyze({ ...use, planQuotaPerMonth: analysisQuotaPerMonth }, nowMs);
    const key = await insertAnalysis(trx, { teamId, checkKey: check.key, requestedAt: new Date(nowMs) });
    return { key, count: use.ofCheck + 1 };
  });
}

async function insightOf(
  { clock, log }: Services,
  model: LanguageModel | undefined,
  { input, mask }: LoadedInput,
): Promise<Insight> {
  const finding = classify(input);
  const worded =
    model &&
    (await wordFinding(model, finding, input.check).catch((error: unknown) => {
      log.warn(
        { err: error, model: model.name, prompt: WORD_FINDING.version },
        "the language model did not word an analysis",
      );
      return undefined;
    }));
  return {
    ...finding,
    ...worded,
    summary: mask(worded?.summary ?? finding.summary),
    ...(worded && { claims: worded.claims.map(({ text, facts }) => ({ text: mask(text), facts })) }),
    model: worded === undefined ? RULES : (model?.name ?? RULES),
    generatedAt: new Date(clock.nowMs()).toISOString(),
  };
}
