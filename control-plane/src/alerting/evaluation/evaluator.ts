/**
 * Judges the rules of the checks that a transaction stored results of, in that transaction: a transition is there when the
 * result is, or neither is. A success of a check whose rules it can't touch costs nothing but a look into memory.
 */
import { HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import type { ResultConsumer, ResultGroup, StoredRows } from "../../results/ingest/write-group.ts";
import type { FreshResult } from "../conditions/condition-input.ts";
import { ruleOf } from "../conditions/registry.ts";
import { noBurnRates, type ReadBurnRates } from "../inputs/burn-rates.ts";
import { readChecksUnderJudgement } from "../inputs/result-store.ts";
import type { AlertMetrics } from "../metrics.ts";
import { evaluateCheck } from "./evaluate-check.ts";
import { loadFacts } from "./load-input.ts";
import { lockChecks } from "./locks.ts";
import { freshResult, type News, readNews } from "./new-results.ts";
import { type CachedCheck, RuleCache } from "./rule-cache.ts";
import { type CheckOutcome, writeTransitions } from "./write-transitions.ts";

export interface AlertEvaluatorOptions {
  log: Logger;
  nowMs: () => number;
  metrics: AlertMetrics;
  /** Default: no rate is known. */
  readBurnRates?: ReadBurnRates;
}

/** Conditions that change with the days are looked at again this often for results that say nothing new. */
const SLOW_LOOK_MS = HOUR_MS;
/**
 * Slow looks wait until they are due for one result in so many of a group, since it is the first one in a transaction that
 * costs; but not longer than another such time.
 */
const RESULTS_PER_SLOW_LOOK = 50;

/** New results of a check, by their rows in the group. */
type FreshRows = Map<number, number[]>;

export class AlertEvaluator {
  readonly #options: AlertEvaluatorOptions;
  readonly #cache = new RuleCache();

  constructor(options: AlertEvaluatorOptions) {
    this.#options = options;
  }

  /** For ingest: after the results are stored, before the commit. */
  readonly afterStore: ResultConsumer = async (trx, group, stored) => {
    const { touched, underWay } = await this.#lockTouched(trx, group, stored);
    if (touched.size === 0) return;
    const news = readNews(group);
    const fresh = new Map<number, FreshResult[]>();
    const slowLooks = this.#dueSlowLooks(touched);
    for (const [checkKey, rows] of touched) {
      const check = this.#cache.find(checkKey);
      if (!check) continue;
      if (
        slowLooks.has(check) ||
        underWay.has(checkKey) ||
        rows.some((row) => mayMatter(check, group, row, news))
      )
        fresh.set(
          checkKey,
          rows.map((row) => freshResult(group, row, news)),
        );
    }
    await this.#evaluateSafely(trx, fresh);
    // Spread, so that not all checks of a fleet are looked at in the same second.
    for (const check of slowLooks)
      check.nextSlowLookAtMs = this.#options.nowMs() + SLOW_LOOK_MS * (0.5 + Math.random() / 2);
  };

  /** The checks whose slow conditions are looked at in this transaction: all that are due, or none yet. */
  #dueSlowLooks(touched: FreshRows): ReadonlySet<CachedCheck> {
    const nowMs = this.#options.nowMs();
    const due = new Set<CachedCheck>();
    let isUrgent = false;
    for (const checkKey of touched.keys()) {
      const check = this.#cache.find(checkKey);
      if (!check?.hasSlowConditions || nowMs < check.nextSlowLookAtMs) continue;
      due.add(check);
      isUrgent ||= nowMs >= check.nextSlowLookAtMs + SLOW_LOOK_MS;
    }
    return isUrgent || due.size * RESULTS_PER_SLOW_LOOK >= touched.size ? due : new Set();
  }

  /** For the periodic look: judges these checks at this instant, without new results. */
  async lookAt(trx: Knex, checkKeys: readonly number[]): Promise<void> {
    await lockChecks(trx, checkKeys);
    await this.#cache.refresh(trx);
    const known = checkKeys.filter((key) => this.#cache.find(key));
    await this.#evaluateSafely(trx, new Map(known.map((key) => [key, []])));
  }

  /**
   * Takes the locks of the stored results' checks that have rules. What others committed while this waited, rules included,
   * is known afterwards; a check that got its first rule meanwhile is locked, too.
   */
  async #lockTouched(
    trx: Knex,
    group: ResultGroup,
    stored: StoredRows,
  ): Promise<{ touched: FreshRows; underWay: ReadonlySet<number> }> {
    let locked: FreshRows = new Map();
    for (;;) {
      const touched = this.#touchedChecks(group, stored);
      const isNew = [...touched.keys()].some((checkKey) => !locked.has(checkKey));
      if (isNew) await lockChecks(trx, touched.keys());
      locked = touched;
      const { underWay, hasChanged } = await this.#cache.refresh(trx, [...touched.keys()]);
      const hasMore = () => [...this.#touchedChecks(group, stored).keys()].some((key) => !locked.has(key));
      if (!hasChanged || !hasMore()) return { touched, underWay };
    }
  }

  #touchedChecks({ columns }: ResultGroup, stored: StoredRows): FreshRows {
    const touched: FreshRows = new Map();
    for (let row = 0; row < columns.checkKeys.length; row++) {
      const checkKey = columns.checkKeys[row] as number;
      if (!this.#cache.find(checkKey) || (stored !== "all" && !stored.has(row))) continue;
      const rows = touched.get(checkKey);
      if (rows) rows.push(row);
      else touched.set(checkKey, [row]);
    }
    return touched;
  }

  /** A fault of ours in judging one check must cost neither its results nor the others' alerts. */
  async #evaluateSafely(trx: Knex, fresh: ReadonlyMap<number, readonly FreshResult[]>): Promise<void> {
    if (fresh.size === 0) return;
    const stopTimer = this.#options.metrics.evaluationSeconds.startTimer();
    try {
      await trx.transaction((savepoint) => this.#evaluate(savepoint, fresh));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.#options.metrics.faults.inc();
      const checkKeys = [...fresh.keys()];
      if (fresh.size === 1) {
        this.#options.log.error({ err: error, checkKey: checkKeys[0] }, "alert rules can't be judged");
        return;
      }
      for (const [checkKey, results] of fresh)
        await this.#evaluateSafely(trx, new Map([[checkKey, results]]));
    } finally {
      stopTimer();
    }
  }

  async #evaluate(trx: Knex, fresh: ReadonlyMap<number, readonly FreshResult[]>): Promise<void> {
    const nowMs = this.#options.nowMs();
    const questions = (await readChecksUnderJudgement(trx, [...fresh.keys()])).flatMap((check) => {
      const rules = this.#cache.find(check.row.key)?.rules;
      return rules ? [{ ...check, rules, fresh: fresh.get(check.row.key) ?? [] }] : [];
    });
    const facts = await loadFacts(trx, questions, nowMs, this.#options.readBurnRates ?? noBurnRates);
    const outcomes = questions.flatMap(({ row, rules, open, confirmations, fresh }): CheckOutcome[] => {
      const stored = facts.get(row.key);
      if (!stored) return [];
      const { enabled } = row;
      const transitions = evaluateCheck({ enabled, rules, open, confirmations, stored, fresh });
      return transitions.length > 0 ? [{ check: row, open, transitions }] : [];
    });
    if (outcomes.length === 0) return;
    await writeTransitions(trx, outcomes, nowMs);
    for (const { transitions } of outcomes)
      for (const { kind } of transitions) this.#options.metrics.transitions.inc({ kind });
  }
}

/** Whether the result may make a condition hold that did not. */
function mayMatter(check: CachedCheck, group: ResultGroup, row: number, news: News): boolean {
  if (group.columns.statuses[row] === 1 && !news.hasTlsFacts.has(row)) {
    if (check.successConditions.length === 0) return false;
    const fresh = freshResult(group, row, news);
    return check.successConditions.some((condition) => ruleOf(condition).mayBegin(condition, fresh));
  }
  const fresh = freshResult(group, row, news);
  return check.rules.some((rule) =>
    rule.conditions.some((condition) => {
      const { beginsWithTime, mayBegin } = ruleOf(condition);
      return (beginsWithTime !== "at_results" || fresh.hasTlsFacts) && mayBegin(condition, fresh);
    }),
  );
}
