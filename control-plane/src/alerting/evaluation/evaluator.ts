/**
 * Evaluates the rules of the checks that a transaction stored results of, in that transaction: either result and transition
 * are both there, or neither is. A success that can't change anything costs no more than a lookup in memory.
 */
import { HOUR_MS, pushedTraitsOf, STATUS_CODES } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isDatabaseUnavailable, isStatementTimeout } from "../../platform/db/errors.ts";
import type { ResultConsumer, ResultGroup, StoredRows } from "../../results/ingest/write-group.ts";
import { ruleOf } from "../conditions/registry.ts";
import { type BlamedTriggers, findBlamed, NONE_BLAMED } from "../holds/cut-off.ts";
import type { NewResult } from "../inputs/judged-result.ts";
import type { AlertMetrics } from "../metrics.ts";
import { evaluateCheck } from "./evaluate-check.ts";
import { evaluateSlos } from "./evaluate-slos.ts";
import { type EvaluationStore, postgresEvaluationStore } from "./evaluation-store.ts";
import { loadInput } from "./load-input.ts";
import { evidenceByRow, type GroupEvidence, newResultOf } from "./new-results.ts";
import { ResultReplay } from "./result-replay.ts";
import { type CachedCheck, RuleCache } from "./rule-cache.ts";
import type { EvaluatedRule, EvaluatedSubject } from "./transitions.ts";
import { writeTransitions } from "./write-transitions.ts";

/** The clock, chance, log and metrics of an evaluator. */
export interface AlertEvaluatorParts {
  log: Logger;
  nowMs: () => number;
  /** Returns a number from [0, 1). */
  random: () => number;
  metrics: AlertMetrics;
}

/** Longest time between two evaluations of conditions that change with the days, for results that say nothing new. */
const TIME_EVALUATION_MS = HOUR_MS;
/**
 * Time-driven conditions are evaluated in batches: once one check in so many of a group is due, or after at most one more
 * `TIME_EVALUATION_MS`. The first evaluation in a transaction is the expensive one.
 */
const CHECKS_PER_TIME_EVALUATION = 50;

/** Rows of a group by the key of their check. */
type RowsByCheck = Map<number, number[]>;

/** Judges stored results by the rules of their checks, and writes the transitions that follow. */
export class AlertEvaluator {
  readonly #parts: AlertEvaluatorParts;
  readonly #cache = new RuleCache();

  constructor(parts: AlertEvaluatorParts) {
    this.#parts = parts;
  }

  /** Evaluates the checks of a group that was just stored, before the commit. For ingest. */
  readonly evaluateStored: ResultConsumer = (trx, group, stored) =>
    this.evaluateStoredIn(postgresEvaluationStore(trx), group, stored);

  /** Does the work of {@link evaluateStored} in the transaction of the store. */
  async evaluateStoredIn(store: EvaluationStore, group: ResultGroup, stored: StoredRows): Promise<void> {
    const { rowsByCheck, checksInProgress } = await this.#lockChecksOf(store, group, stored);
    if (rowsByCheck.size === 0) return;
    const source = { group, evidence: evidenceByRow(group) };
    const newResults = new Map<number, NewResult[]>();
    const dueByTime = this.#checksDueByTime(rowsByCheck);
    for (const [checkKey, rows] of rowsByCheck) {
      const check = this.#cache.find(checkKey);
      if (!check) continue;
      const needsEvaluation =
        dueByTime.has(check) ||
        checksInProgress.has(checkKey) ||
        rows.some((row) => canBegin(check, source, row));
      if (needsEvaluation)
        newResults.set(
          checkKey,
          rows.map((row) => newResultOf(group, row, source.evidence)),
        );
    }
    await this.#evaluateSafely(store, newResults);
    // Spread at random, so that not all checks of a fleet are due in one second.
    for (const check of dueByTime)
      check.nextTimeEvaluationAtMs =
        this.#parts.nowMs() + TIME_EVALUATION_MS * (0.5 + this.#parts.random() / 2);
  }

  /** Evaluates these checks at this instant, without new results. */
  async evaluateNow(trx: Knex, checkKeys: readonly number[]): Promise<void> {
    const store = postgresEvaluationStore(trx);
    await store.lockChecks(checkKeys);
    await this.#cache.refresh(store);
    const known = checkKeys.filter((key) => this.#cache.find(key));
    await this.#evaluateSafely(store, new Map(known.map((key) => [key, []])));
  }

  /** Evaluates the rules of all SLOs that are about third parties, at this instant. */
  async evaluateSlosNow(knex: Knex, signal?: AbortSignal): Promise<void> {
    const { log, metrics, nowMs } = this.#parts;
    await evaluateSlos(knex, {
      nowMs: nowMs(),
      ...(signal && { signal }),
      onTransition: (kind) => metrics.transitions.inc({ kind }),
      onFault: (error, sloKey) => {
        metrics.faults.inc();
        log.error({ err: error, sloKey }, "the alert rules of an SLO can't be evaluated");
      },
    });
  }

  /** Returns the checks whose time-driven conditions this transaction evaluates: all that are due, or none yet. */
  #checksDueByTime(rowsByCheck: RowsByCheck): ReadonlySet<CachedCheck> {
    const nowMs = this.#parts.nowMs();
    const due = new Set<CachedCheck>();
    let isOverdue = false;
    for (const checkKey of rowsByCheck.keys()) {
      const check = this.#cache.find(checkKey);
      if (!check?.hasTimeDrivenConditions || nowMs < check.nextTimeEvaluationAtMs) continue;
      due.add(check);
      isOverdue ||= nowMs >= check.nextTimeEvaluationAtMs + TIME_EVALUATION_MS;
    }
    return isOverdue || due.size * CHECKS_PER_TIME_EVALUATION >= rowsByCheck.size ? due : new Set();
  }

  /**
   * Locks the checks of the stored results that have rules. Afterwards this transaction knows everything that others
   * committed while it waited, rules included; a check that got its first rule meanwhile is locked, too.
   */
  async #lockChecksOf(
    store: EvaluationStore,
    group: ResultGroup,
    stored: StoredRows,
  ): Promise<{ rowsByCheck: RowsByCheck; checksInProgress: ReadonlySet<number> }> {
    let locked: RowsByCheck = new Map();
    for (;;) {
      const rowsByCheck = this.#rowsOfChecksWithRules(group, stored);
      const isNew = [...rowsByCheck.keys()].some((checkKey) => !locked.has(checkKey));
      if (isNew) await store.lockChecks(rowsByCheck.keys());
      locked = rowsByCheck;
      const { checksInProgress, hasChanged } = await this.#cache.refresh(store, [...rowsByCheck.keys()]);
      const hasMore = () =>
        [...this.#rowsOfChecksWithRules(group, stored).keys()].some((key) => !locked.has(key));
      if (!hasChanged || !hasMore()) return { rowsByCheck, checksInProgress };
    }
  }

  #rowsOfChecksWithRules({ columns }: ResultGroup, stored: StoredRows): RowsByCheck {
    const rowsByCheck: RowsByCheck = new Map();
    for (let row = 0; row < columns.checkKeys.length; row++) {
      const checkKey = columns.checkKeys[row] as number;
      if (!this.#cache.find(checkKey) || (stored !== "all" && !stored.has(row))) continue;
      const rows = rowsByCheck.get(checkKey);
      if (rows) rows.push(row);
      else rowsByCheck.set(checkKey, [row]);
    }
    return rowsByCheck;
  }

  /** A fault of ours in evaluating one check must cost neither its results nor the alerts of other checks. */
  async #evaluateSafely(
    store: EvaluationStore,
    newResults: ReadonlyMap<number, readonly NewResult[]>,
  ): Promise<void> {
    if (newResults.size === 0) return;
    const stopTimer = this.#parts.metrics.evaluationSeconds.startTimer();
    try {
      await store.savepoint((inner) => this.#evaluate(inner, newResults));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.#parts.metrics.faults.inc();
      const checkKeys = [...newResults.keys()];
      if (newResults.size === 1) {
        this.#parts.log.error({ err: error, checkKey: checkKeys[0] }, "alert rules can't be evaluated");
        return;
      }
      for (const [checkKey, results] of newResults)
        await this.#evaluateSafely(store, new Map([[checkKey, results]]));
    } finally {
      stopTimer();
    }
  }

  async #evaluate(
    store: EvaluationStore,
    newResults: ReadonlyMap<number, readonly NewResult[]>,
  ): Promise<void> {
    const nowMs = this.#parts.nowMs();
    const checks = (await store.readChecksToJudge([...newResults.keys()])).flatMap((one) => {
      const rules = this.#cache.find(one.check.key)?.rules;
      return rules ? [{ ...one, rules, newResults: newResults.get(one.check.key) ?? [] }] : [];
    });
    const inputs = await loadInput(store, checks, nowMs);
    const evaluated = checks.flatMap(
      ({ check, rules, open, confirmations, newResults }): EvaluatedSubject[] => {
        const stored = inputs.get(check.key);
        if (!stored) return [];
        const enabled = check.enabled && check.locationKeys.length > 0;
        const replay = new ResultReplay(stored, newResults);
        const transitions = evaluateCheck({
          enabled,
          rules: confirmableRules(check.type, rules),
          open,
          confirmations,
          replay,
          nowMs,
          newResults,
        });
        return transitions.length > 0 ? [{ check, open, transitions }] : [];
      },
    );
    if (evaluated.length === 0) return;
    const blamed = await this.#findBlamedSafely(store, evaluated);
    await writeTransitions(store, evaluated, { nowMs, blamed });
    for (const { transitions } of evaluated)
      for (const { kind } of transitions) this.#parts.metrics.transitions.inc({ kind });
  }

  /** A fault of ours in judging locations must hold no alert back. */
  async #findBlamedSafely(
    store: EvaluationStore,
    evaluated: readonly EvaluatedSubject[],
  ): Promise<BlamedTriggers> {
    try {
      return await findBlamed(evaluated, (asked) => store.savepoint((inner) => inner.findCutOff(asked)));
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isStatementTimeout(error)) throw error;
      this.#parts.metrics.faults.inc();
      this.#parts.log.error({ err: error }, "it can't be judged whether locations reach their targets");
      return NONE_BLAMED;
    }
  }
}

/** Returns the rules as they hold for a type: a pushed check can't be run again, so its failures need no second one. */
function confirmableRules(type: string, rules: readonly EvaluatedRule[]): readonly EvaluatedRule[] {
  return pushedTraitsOf(type) ? rules.map((rule) => ({ ...rule, confirm: false })) : rules;
}

/** True when a row's result may make one of the check's conditions hold. */
function canBegin(
  check: CachedCheck,
  { group, evidence }: { group: ResultGroup; evidence: GroupEvidence },
  row: number,
): boolean {
  const isPlainSuccess =
    group.columns.statuses[row] === STATUS_CODES.success && !evidence.rowsWithTlsFacts.has(row);
  if (isPlainSuccess && check.successConditions.length === 0) return false;
  const newResult = newResultOf(group, row, evidence);
  if (isPlainSuccess)
    return check.successConditions.some((condition) => ruleOf(condition).canBegin(condition, newResult));
  return check.rules.some((rule) =>
    rule.conditions.some((condition) => {
      const conditionRule = ruleOf(condition);
      const isJudged = conditionRule.timeDriven !== "at_results" || newResult.hasTlsFacts;
      return isJudged && conditionRule.canBegin(condition, newResult);
    }),
  );
}
