import {
  ANALYSES_PER_CHECK,
  type Analysis,
  type CheckId,
  type Insight,
  type LastAnalysis,
  notFound,
  type TeamId,
} from "@svc/contract";
import { loadPlan } from "../../accounts/teams/plans.ts";
import { getCheckRow } from "../../checks/get-check.ts";
import { holdCheckRow } from "../../checks/store.ts";
import type { Services } from "../../platform/services.ts";
import { readPageKeys } from "../../results/store.ts";
import { classify } from "./classify.ts";
import type { LanguageModel } from "./language-model.ts";
import { assertMayAnalyze, monthOf } from "./limits.ts";
import { type LoadedFacts, loadFacts } from "./load-facts.ts";
import {
  countAnalyses,
  deleteAnalysis,
  findLastAnalysis,
  insertAnalysis,
  readUseExclusively,
  saveInsight,
} from "./store.ts";

/** `model` of an insight that the rules worded. */
const RULES = "rules";

/**
 * Analyses the check's stored evidence. The call is counted before the work, so that calls at once can't pass the limits
 * together; work that fails is not counted.
 * @throws DomainError not_found, rate_limited
 */
export async function analyzeCheck(
  services: Services,
  model: LanguageModel | undefined,
  teamId: TeamId,
  checkId: CheckId,
): Promise<Analysis> {
  const { knex } = services;
  const { key, count } = await takeTurn(services, teamId, checkId);
  try {
    const check = await getCheckRow(knex, teamId, checkId);
    const loaded = await loadFacts(services, check);
    const insight = await insightOf(services, model, loaded);
    await saveInsight(knex, key, insight, loaded.newestSlotMs);
    const stale = await hasNewerResults(services, check.key, loaded.newestSlotMs);
    return { insight, stale, deepAnalysisCount: count, deepAnalysisLimit: ANALYSES_PER_CHECK };
  } catch (error) {
    await deleteAnalysis(knex, key).catch(() => undefined);
    throw error;
  }
}

/** What the last analysis found; not a call that counts. @throws DomainError not_found */
export async function getLastAnalysis(
  services: Services,
  teamId: TeamId,
  checkId: CheckId,
): Promise<LastAnalysis> {
  const { knex } = services;
  const check = await getCheckRow(knex, teamId, checkId);
  const last = await findLastAnalysis(knex, check.key);
  return {
    insight: last?.insight ?? null,
    stale: last !== undefined && (await hasNewerResults(services, check.key, last.newestSlotMs ?? undefined)),
    deepAnalysisCount: await countAnalyses(knex, check.key),
    deepAnalysisLimit: ANALYSES_PER_CHECK,
  };
}

async function takeTurn(
  { knex, clock }: Services,
  teamId: TeamId,
  checkId: CheckId,
): Promise<{ key: number; count: number }> {
  return knex.transaction(async (trx) => {
    const check = await holdCheckRow(trx, teamId, checkId);
    if (!check) throw notFound("Check");
    const nowMs = clock.nowMs();
    const { analysisQuotaPerMonth } = await loadPlan(trx, teamId);
    const use = await readUseExclusively(trx, teamId, check.key, monthOf(nowMs).fromMs);
    assertMayAnalyze({ ...use, planQuotaPerMonth: analysisQuotaPerMonth }, nowMs);
    const key = await insertAnalysis(trx, teamId, check.key, new Date(nowMs));
    return { key, count: use.ofCheck + 1 };
  });
}

async function insightOf(
  { clock, log }: Services,
  model: LanguageModel | undefined,
  { facts, mask }: LoadedFacts,
): Promise<Insight> {
  const finding = classify(facts);
  const worded = await model?.word(finding, facts.check.name).catch((err: unknown) => {
    log.warn({ err, model: model.name }, "the language model did not word an analysis");
    return undefined;
  });
  return {
    ...finding,
    summary: mask(worded ?? finding.summary),
    model: worded === undefined ? RULES : (model?.name ?? RULES),
    generatedAt: new Date(clock.nowMs()).toISOString(),
  };
}

async function hasNewerResults(
  { knex }: Services,
  checkKey: number,
  knownSlotMs: number | undefined,
): Promise<boolean> {
  const [newest] = await readPageKeys(knex, checkKey, { limit: 1, offset: 0 });
  return newest !== undefined && newest.slotMs > (knownSlotMs ?? Number.NEGATIVE_INFINITY);
}
