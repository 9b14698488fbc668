/**
 * Evaluates the rules of SLOs that are about third parties. They belong to no check, so no result evaluates them; time does, under
 * the lock of the SLO. As for checks, an alert ends only by what runs saw after it began, never by their absence.
 */
import { type Condition, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { NONE_BLAMED } from "../holds/cut-off.ts";
import { burnRateOf } from "../slos/burn-rate.ts";
import { countSlos } from "../slos/count-slos.ts";
import { type BurnRateLimits, matchBurnRates } from "../slos/match-burn-rates.ts";
import { windowStart } from "../slos/read-burn-rates.ts";
import { NO_COUNTS, type ResultCounts } from "../slos/result-counts.ts";
import { postgresEvaluationStore } from "./evaluation-store.ts";
import { lockChecks } from "./locks.ts";
import { openInstanceOf, readSloRules, readSlosWithRules, type SloRule } from "./slo-rule-store.ts";
import type { EvaluatedRule, EvaluatedSubject, OpenInstance, Transition } from "./transitions.ts";
import { writeTransitions } from "./write-transitions.ts";

/** SLOs that are evaluated in one transaction, which holds their locks. */
const SLOS_AT_ONCE = 100;

/** Instant, end and observers of an evaluation. */
export interface EvaluateSlosOptions {
  /** Unix ms. */
  nowMs: number;
  /** Aborting it ends the evaluation after the SLOs at hand. */
  signal?: AbortSignal;
  /** Called with each transition that was written. */
  onTransition?: (kind: Transition["kind"]) => void;
  /** Called for an SLO that can't be evaluated; the others are. */
  onFault: (error: unknown, sloKey: number) => void;
}

/** Evaluates the rules of every active SLO that is about a third party. Harmless to repeat and to overlap with another replica's call. */
export async function evaluateSlos(knex: Knex, options: EvaluateSlosOptions): Promise<void> {
  let afterKey = 0;
  while (!options.signal?.aborted) {
    const sloKeys = await readSlosWithRules(knex, { afterKey, limit: SLOS_AT_ONCE });
    if (sloKeys.length > 0) await evaluateSafely(knex, sloKeys, options);
    if (sloKeys.length < SLOS_AT_ONCE) return;
    afterKey = sloKeys.at(-1) as number;
  }
}

/** A fault of ours in evaluating one SLO must not cost the alerts of others. */
async function evaluateSafely(
  knex: Knex,
  sloKeys: readonly number[],
  options: EvaluateSlosOptions,
): Promise<void> {
  try {
    const kinds = await knex.transaction((trx) => evaluateAt(trx, sloKeys, options.nowMs));
    for (const kind of kinds) options.onTransition?.(kind);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    if (sloKeys.length === 1) options.onFault(error, sloKeys[0] as number);
    else for (const sloKey of sloKeys) await evaluateSafely(knex, [sloKey], options);
  }
}

async function evaluateAt(
  trx: Knex,
  sloKeys: readonly number[],
  nowMs: number,
): Promise<Transition["kind"][]> {
  await lockChecks(trx, sloKeys);
  const rules = await readSloRules(trx, sloKeys);
  const counts = await countWindows(trx, rules, nowMs);
  const evaluated = rules.flatMap((rule, index): EvaluatedSubject[] => {
    const open = openInstanceOf(rule);
    const transition = decide({ rule, open, counts: counts[index] as WindowCounts });
    return transition ? [{ check: null, open: open ? [open] : [], transitions: [transition] }] : [];
  });
  if (evaluated.length > 0) {
    const store = postgresEvaluationStore(trx);
    await writeTransitions(store, evaluated, { nowMs, blamed: NONE_BLAMED });
  }
  return evaluated.flatMap(({ transitions }) => transitions.map(({ kind }) => kind));
}

/** Counts that a rule is decided from. */
interface WindowCounts {
  long: ResultCounts;
  short: ResultCounts;
  /** Requests of runs since the minute after the open instance began, within the short window. */
  sinceStart: ResultCounts;
}

type BurnRateCondition = Extract<Condition, BurnRateLimits>;

/** Returns the rule's one condition: SLOs generate no others. */
function conditionOf({ conditionsJson }: SloRule): BurnRateCondition {
  const [condition] = JSON.parse(conditionsJson) as [BurnRateCondition];
  return condition;
}

async function countWindows(trx: Knex, rules: readonly SloRule[], nowMs: number): Promise<WindowCounts[]> {
  const counts = await countSlos(
    trx,
    rules.flatMap((rule) => {
      const { longWindowMinutes, shortWindowMinutes } = conditionOf(rule);
      const { teamId, patternKey } = rule;
      const slo = { teamId, patternKey, checkKey: null, perfThresholdMs: null };
      const shortFromMs = windowStart(nowMs, shortWindowMinutes);
      const startedAtMs = openInstanceOf(rule)?.startedAtMs ?? nowMs;
      const nextMinuteMs = Math.floor(startedAtMs / MINUTE_MS + 1) * MINUTE_MS;
      return [windowStart(nowMs, longWindowMinutes), shortFromMs, Math.max(shortFromMs, nextMinuteMs)].map(
        (fromMs) => ({ slo, fromMs, toMs: Math.max(fromMs, nowMs) }),
      );
    }),
  );
  return rules.map((_, index) => ({
    long: counts[3 * index] ?? NO_COUNTS,
    short: counts[3 * index + 1] ?? NO_COUNTS,
    sinceStart: counts[3 * index + 2] ?? NO_COUNTS,
  }));
}

interface Decision {
  rule: SloRule;
  open: OpenInstance | undefined;
  counts: WindowCounts;
}

/** Decides whether the rule fires or its instance recovers. Pure. */
function decide({ rule: sloRule, open, counts }: Decision): Transition | undefined {
  const { sloKey: _, patternKey, targetBasisPoints, conditionsJson, openJson, sloId, ...rest } = sloRule;
  const condition = conditionOf(sloRule);
  const rule: EvaluatedRule = {
    ...rest,
    checkKey: null,
    conditions: [condition],
    confirm: false,
    recoverySuccesses: 1,
  };
  const match = matchBurnRates(condition, {
    long: burnRateOf(counts.long, targetBasisPoints),
    short: burnRateOf(counts.short, targetBasisPoints),
  });
  if (open)
    return !match && counts.sinceStart.total > 0
      ? { kind: "recovered", rule, newResult: undefined }
      : undefined;
  if (!match) return undefined;
  const { severity, threshold, observed, summary } = match;
  const conditions = [{ type: condition.type, threshold, observed, resultIds: [] }];
  const context = { summary, conditions, locations: [] };
  const byNoRun = { newResult: undefined, confirmedBy: undefined, unreachedFrom: [] };
  return { kind: "triggered", rule, severity, context, ...byNoRun };
}
