/**
 * The rules in a replica's memory, never out of date where it matters: each evaluation first reads, in its own transaction,
 * which rules changed since the snapshot of the previous read, by transaction id under the snapshot horizon. So no timer
 * and no notification is needed, and no rule that was committed before is missed.
 */
import type { Condition } from "@svc/contract";
import { ruleOf } from "../conditions/registry.ts";
import type { ChangedRule } from "../rules/evaluation-store.ts";
import type { EvaluationStore } from "./evaluation-store.ts";
import type { EvaluatedRule } from "./transitions.ts";

/** The enabled rules of a check. */
export interface CachedCheck {
  rules: readonly EvaluatedRule[];
  /** Conditions that a success may begin; most rules have none. */
  successConditions: readonly Condition[];
  /** True when a condition is evaluated `at_results`. */
  hasTimeDrivenConditions: boolean;
  /** Unix ms. Until then, results that say nothing new don't have the time-driven conditions evaluated. */
  nextTimeEvaluationAtMs: number;
}

interface CachedRule {
  revision: number;
  rule: EvaluatedRule | undefined;
}

/** Outcome of reading the changes. */
export interface Refreshed {
  /** The checks asked about that have an open instance or a pending confirmation: each of their results matters. */
  checksInProgress: ReadonlySet<number>;
  /** True when any rule changed. */
  hasChanged: boolean;
}

/** Caches the alert rules of the whole service in one replica. */
export class RuleCache {
  readonly #checks = new Map<number, CachedCheck>();
  readonly #rules = new Map<number, CachedRule>();
  /** Parsed conditions by their JSON: most rules of a fleet have equal ones. */
  readonly #conditions = new Map<string, readonly Condition[]>();
  #horizon = "0";

  /** Reads the changes; afterwards the cache knows everything that was committed before. */
  async refresh(
    store: Pick<EvaluationStore, "readRuleChanges">,
    checkKeys: readonly number[] = [],
  ): Promise<Refreshed> {
    const { horizon, rules, checksInProgress } = await store.readRuleChanges(this.#horizon, checkKeys);
    for (const rule of rules) this.#apply(rule);
    if (BigInt(horizon) > BigInt(this.#horizon)) this.#horizon = horizon;
    return { checksInProgress: new Set(checksInProgress), hasChanged: rules.length > 0 };
  }

  /** Returns the check's rules; undefined when it has no enabled rule. */
  find(checkKey: number): CachedCheck | undefined {
    return this.#checks.get(checkKey);
  }

  /** Reads may arrive out of order: the highest revision of a rule wins. */
  #apply(changed: ChangedRule): void {
    const { revision, isActive, conditionsJson, ...rest } = changed;
    const known = this.#rules.get(changed.key);
    if (known && known.revision >= revision) return;
    const rule = isActive ? { ...rest, conditions: this.#parsed(conditionsJson) } : undefined;
    this.#rules.set(changed.key, { revision, rule });
    const others = (this.#checks.get(changed.checkKey)?.rules ?? []).filter(({ key }) => key !== changed.key);
    const rules = rule ? [...others, rule] : others;
    if (rules.length === 0) this.#checks.delete(changed.checkKey);
    else this.#checks.set(changed.checkKey, cachedCheck(rules));
  }

  #parsed(json: string): readonly Condition[] {
    const known = this.#conditions.get(json);
    if (known) return known;
    const conditions = JSON.parse(json) as Condition[];
    this.#conditions.set(json, conditions);
    return conditions;
  }
}

function cachedCheck(rules: readonly EvaluatedRule[]): CachedCheck {
  const conditions = rules.flatMap((rule) => rule.conditions);
  const successConditions = conditions.filter((condition) => {
    const { isAboutFailure, timeDriven } = ruleOf(condition);
    return !isAboutFailure && timeDriven === undefined;
  });
  return {
    rules,
    successConditions,
    hasTimeDrivenConditions: conditions.some((condition) => ruleOf(condition).timeDriven === "at_results"),
    nextTimeEvaluationAtMs: 0,
  };
}
