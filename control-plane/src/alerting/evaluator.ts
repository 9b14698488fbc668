/**
 * Judges the rules of the checks that a transaction stored results of, in that transaction: a transition is there when the
 * result is, or neither is. A success of a check whose rules it can't touch costs nothing but a look into memory.
 */
import type { ResultDetail } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isDatabaseUnavailable } from "../db/errors.ts";
import type { AfterStore, ResultGroup, StoredRows } from "../ingest/write-group.ts";
import { ruleOf } from "./conditions/registry.ts";
import { evaluateCheck } from "./evaluate-check.ts";
import { readAlertChecks, readConfirmations, readOpenInstances } from "./fact-store.ts";
import type { FreshResult } from "./facts.ts";
import { loadFacts } from "./load-facts.ts";
import { lockChecks } from "./locks.ts";
import type { AlertMetrics } from "./metrics.ts";
import { type CachedCheck, RuleCache } from "./rule-cache.ts";
import { noBurnRates, type ReadBurnRates } from "./slo-facts.ts";
import { type CheckOutcome, writeTransitions } from "./write-transitions.ts";

export interface AlertEvaluatorOptions {
  log: Logger;
  nowMs: () => number;
  metrics: AlertMetrics;
  /** Default: no rate is known. */
  readBurnRates?: ReadBurnRates;
}

/** Conditions that change with the days are looked at again this often for results that say nothing new. */
const SLOW_LOOK_MS = 3_600_000;

/** New results of a check, by their rows in the group. */
type FreshRows = Map<number, number[]>;

export class AlertEvaluator {
  readonly #options: AlertEvaluatorOptions;
  readonly #cache = new RuleCache();

  constructor(options: AlertEvaluatorOptions) {
    this.#options = options;
  }

  /** For ingest: after the results are stored, before the commit. */
  readonly afterStore: AfterStore = async (trx, group, stored) => {
    const { touched, underWay } = await this.#lockTouched(trx, group, stored);
    if (touched.size === 0) return;
    const news = readNews(group);
    const fresh = new Map<number, FreshResult[]>();
    const slowLooks: CachedCheck[] = [];
    for (const [checkKey, rows] of touched) {
      const check = this.#cache.find(checkKey);
      if (!check) continue;
      const isSlowLook = check.hasSlowConditions && this.#options.nowMs() >= check.nextSlowLookAtMs;
      if (isSlowLook) slowLooks.push(check);
      if (isSlowLook || underWay.has(checkKey) || rows.some((row) => mayMatter(check, group, row, news)))
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
      const underWay = await this.#cache.refresh(trx, [...touched.keys()]);
      const hasMore = [...this.#touchedChecks(group, stored).keys()].some((key) => !locked.has(key));
      if (!hasMore) return { touched, underWay };
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
    const checkKeys = [...fresh.keys()];
    const rows = await readAlertChecks(trx, checkKeys);
    const open = groupByCheck(await readOpenInstances(trx, checkKeys));
    const confirmations = groupByCheck(await readConfirmations(trx, checkKeys));
    const questions = checkKeys.flatMap((checkKey) => {
      const row = rows.get(checkKey);
      const rules = this.#cache.find(checkKey)?.rules;
      return row && rules ? [{ row, rules, fresh: fresh.get(checkKey) ?? [] }] : [];
    });
    const facts = await loadFacts(trx, questions, nowMs, this.#options.readBurnRates ?? noBurnRates);
    const outcomes = questions.flatMap(({ row, rules, fresh }): CheckOutcome[] => {
      const stored = facts.get(row.key);
      if (!stored) return [];
      const opened = open.get(row.key) ?? [];
      const transitions = evaluateCheck({
        ...{ enabled: row.enabled, rules, open: opened, stored, fresh },
        confirmations: confirmations.get(row.key) ?? [],
      });
      return transitions.length > 0 ? [{ check: row, open: opened, transitions }] : [];
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

/** What came beside the rows of a group. */
interface News {
  details: ReadonlyMap<number, () => Partial<ResultDetail>>;
  hasTlsFacts: ReadonlySet<number>;
}

/** Details are parsed when something of them is asked for, once: they hold whole response bodies. */
function readNews({ details, tlsFacts }: ResultGroup): News {
  const lazily = (json: string) => {
    let parsed: Partial<ResultDetail> | undefined;
    return () => {
      parsed ??= JSON.parse(json) as Partial<ResultDetail>;
      return parsed;
    };
  };
  return {
    details: new Map(details.map(({ row, json }) => [row, lazily(json)])),
    hasTlsFacts: new Set(tlsFacts.map(({ row }) => row)),
  };
}

function freshResult({ columns }: ResultGroup, row: number, news: News): FreshResult {
  const detail = news.details.get(row);
  const traceId = columns.traceIds[row] as string;
  const phase = (us: number | undefined) => (us === undefined || us < 0 ? null : us);
  return {
    locationKey: columns.locationKeys[row] as number,
    slotMs: columns.slotsMs[row] as number,
    status: columns.statuses[row] as number,
    runnerKey: columns.runnerKeys[row] as number,
    responseTimeUs: columns.responseTimeUs[row] as number,
    dnsLookupUs: phase(columns.dnsLookupUs[row]),
    tlsHandshakeUs: phase(columns.tlsHandshakeUs[row]),
    ttfbUs: phase(columns.ttfbUs[row]),
    contentTransferUs: phase(columns.contentTransferUs[row]),
    httpStatusCode: columns.httpStatusCodes[row] || null,
    traceId: traceId === "NULL" ? null : traceId.replaceAll("-", ""),
    hasTlsFacts: news.hasTlsFacts.has(row),
    get webVitals() {
      return detail?.().webVitals ?? null;
    },
    get errorMessage() {
      return detail?.().errorMessage;
    },
    get schemaDrift() {
      return detail?.().mcpSchemaDrift;
    },
  };
}

function groupByCheck<Row extends { checkKey: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) groups.set(row.checkKey, [...(groups.get(row.checkKey) ?? []), row]);
  return groups;
}
