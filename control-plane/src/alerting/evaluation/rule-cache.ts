/**
 * The rules in a replica's memory, never out of date where it matters: each evaluation first reads, in its own transaction,
 * what changed since the snapshot of the read before, by transaction id under the horizon. So no timer and no
 * notification is needed, and no rule that was committed before is missed.
 */
import type { Condition } from "@svc/contract";
import type { Knex } from "knex";
import { ruleOf } from "../conditions/registry.ts";
import { type ChangedRule, readAlertNews } from "../rules/store.ts";
import type { EvaluatedRule } from "./transitions.ts";

/** A check's enabled rules. */
export interface CachedCheck {
  rules: readonly EvaluatedRule[];
  /** Those that a success may begin; most rules have none. */
  successConditions: readonly Condition[];
  /** Unix ms: before it, conditions that hold by passing days aren't looked at again for results without news. */
  nextSlowLookAtMs: number;
  hasSlowConditions: boolean;
}

interface CachedRule {
  revision: number;
  rule: EvaluatedRule | undefined;
}

export class RuleCache {
  readonly #checks = new Map<number, CachedCheck>();
  readonly #rules = new Map<number, CachedRule>();
  /** Most rules of a fleet say the same. */
  readonly #conditions = new Map<string, readonly Condition[]>();
  #horizon = "0";

  /**
   * Reads what changed; whatever was committed before is known then.
   * @returns of these checks, those with something under way; and whether a rule is other than before
   */
  async refresh(
    trx: Knex,
    checkKeys: readonly number[] = [],
  ): Promise<{ underWay: ReadonlySet<number>; hasChanged: boolean }> {
    const { horizon, rules, underWay } = await readAlertNews(trx, this.#horizon, checkKeys);
    for (const rule of rules) this.#apply(rule);
    if (BigInt(horizon) > BigInt(this.#horizon)) this.#horizon = horizon;
    return { underWay: new Set(underWay), hasChanged: rules.length > 0 };
  }

  /** Undefined: the check has no enabled rule. */
  find(checkKey: number): CachedCheck | undefined {
    return this.#checks.get(checkKey);
  }

  /** Reads may arrive out of order; the highest revision of a rule is the truth. */
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
  const hasSlowConditions = conditions.some((condition) => ruleOf(condition).beginsWithTime === "at_results");
  const successConditions = conditions.filter((condition) => {
    const { isAboutFailure, beginsWithTime } = ruleOf(condition);
    return !isAboutFailure && beginsWithTime === undefined;
  });
  return { rules, successConditions, hasSlowConditions, nextSlowLookAtMs: 0 };
}
