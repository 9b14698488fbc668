/** What an alert condition is to the evaluation: which facts it needs, when it may begin to hold, whether it holds. */
import type { BaselineMetric, Condition, ConditionType, Severity } from "@svc/contract";
import type { Facts, FreshResult, ResultFact } from "./condition-input.ts";

/** Facts that a condition asks for; nothing else is loaded for it. */
export interface FactNeeds {
  /** Newest results of each location. */
  results?: number;
  /** The newest success of each location, however far back. */
  newestSuccess?: true;
  tls?: true;
  baseline?: BaselineMetric;
  /** Newest due slots of each location. */
  missedSlots?: number;
  burnRates?: readonly { sloId: string; windowMinutes: number }[];
}

/** Why a condition holds. */
export interface Evidence {
  severity: Severity;
  threshold: unknown;
  observed: unknown;
  /** The results that show it, newest first. */
  results: readonly Pick<ResultFact, "locationKey" | "slotMs">[];
  /** A clause for people: "2 failures in a row from US East". */
  summary: string;
}

export interface ConditionRule<C extends Condition = Condition> {
  type: C["type"];
  /** About runs that fail: recovery takes a success at every location that failed, and a failure can be confirmed. */
  isAboutFailure: boolean;
  /** Which results can show that it is over. */
  recoversOn: "success" | "any_result";
  /** It may begin to hold by time alone: by the periodic look, or at a result that says nothing new (at most hourly). */
  beginsWithTime?: "looked_at" | "at_results";
  needs(condition: C): FactNeeds;
  /** Whether this result may make it hold that did not. False for nearly every success: those cost nothing more. */
  mayBegin(condition: C, fresh: FreshResult): boolean;
  /** Pure. @returns undefined: it does not hold */
  holds(condition: C, facts: Facts): Evidence | undefined;
}

type ConditionOf<T extends ConditionType> = Extract<Condition, { type: T }>;

export function defineCondition<T extends ConditionType>(
  type: T,
  rule: Omit<ConditionRule<ConditionOf<T>>, "type">,
): ConditionRule {
  return { type, ...rule } as unknown as ConditionRule;
}

/** Names of locations for a sentence: "US East, EU West and 3 more". */
export function placeNames(locations: readonly { name: string }[]): string {
  const named = locations.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = locations.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(" and ");
}

const NAMED_MAX = 3;
