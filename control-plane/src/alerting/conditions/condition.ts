/** The shape of a condition rule: which inputs a condition type asks for, when it may begin to hold, whether it holds. */
import type { Condition, ConditionType, Severity, SloId } from "@svc/contract";
import type { ConditionInput, ConditionNeeds } from "../inputs/condition-input.ts";
import type { NewResult, StoredResult } from "../inputs/judged-result.ts";

type ShowingResults = readonly Pick<StoredResult, "locationKey" | "slotMs">[];

/** Evidence that a condition holds: its severity, the values compared, the results that show it. */
export interface ConditionMatch {
  severity: Severity;
  threshold: unknown;
  observed: unknown;
  /** The results that show it, newest first. A function where there may be many, for most matches change nothing. */
  results: ShowingResults | (() => ShowingResults);
  /** A clause for people: "2 failures in a row from US East". */
  summary: string;
}

/** Returns the results that show that a condition holds, newest first. */
export function shownResults({ results }: ConditionMatch): ShowingResults {
  return typeof results === "function" ? results() : results;
}

/** How near a condition is to holding: the values compared, and what would have to happen. */
interface ConditionStanding {
  threshold: unknown;
  /** null: nothing is known that could be compared. */
  observed: unknown;
  /** A sentence for people: what would have to happen for the condition to hold. */
  missing: string;
}

/** The rule of one condition type. */
export interface ConditionRule<C extends Condition = Condition> {
  readonly type: C["type"];
  /** True for conditions about failing runs: recovery takes a success at every location that failed, and a failure can be
   * confirmed by a second run. */
  readonly isAboutFailure: boolean;
  /**
   * True for conditions that hold because something that the check depends on fails, although its own runs succeed: their alerts
   * are held back as those about failing runs are. Absent: they are not.
   */
  readonly mayComeFromDependency?: true;
  /** Results that can show that the condition no longer holds. */
  readonly recoversOn: "success" | "any_result";
  /**
   * Says when a condition is evaluated that may begin to hold as time passes; absent: results alone make it hold.
   * - `between_results`: periodically, whether or not results come
   * - `at_results`: at a result that says nothing new, at most once in half an hour to an hour
   */
  readonly timeDriven?: "between_results" | "at_results";
  /** Returns the inputs that the condition is decided from. */
  needs(condition: C): ConditionNeeds;
  /** Returns the SLOs that the condition is about; absent: the type knows none. */
  sloIds?(condition: C): readonly SloId[];
  /** True when this result may make the condition hold. False for nearly every success, which then costs no evaluation. */
  canBegin(condition: C, newResult: NewResult): boolean;
  /** Decides whether the condition holds. Pure; undefined: it does not. */
  match(condition: C, input: ConditionInput): ConditionMatch | undefined;
  /** Says how near a condition that does not hold is to holding. Pure. */
  explain(condition: C, input: ConditionInput): ConditionStanding;
  /** Why stored results do not tell when the condition held in the past, a clause for people; absent: they do. */
  readonly notReplayable?: string;
}

type ConditionOf<Type extends ConditionType> = Extract<Condition, { type: Type }>;

/**
 * Returns the rule of a condition type. The registry keeps the rules of all types together, so the returned type accepts any
 * condition; the family finds a rule by its condition's type.
 */
export function defineCondition<const Type extends ConditionType>(
  type: Type,
  rule: Omit<ConditionRule<ConditionOf<Type>>, "type">,
): ConditionRule {
  const { needs, sloIds, canBegin, match, explain, ...properties } = rule;
  const own = (condition: Condition) => condition as ConditionOf<Type>;
  return {
    type,
    ...properties,
    needs: (condition) => needs(own(condition)),
    ...(sloIds && { sloIds: (condition: Condition) => sloIds(own(condition)) }),
    canBegin: (condition, newResult) => canBegin(own(condition), newResult),
    match: (condition, input) => match(own(condition), input),
    explain: (condition, input) => explain(own(condition), input),
  };
}
