/**
 * The decision: which transitions of a check's rules its new results lead to. Pure. Results are replayed oldest first; one
 * that is not the newest of its location decides nothing. A rule fires when all its conditions hold and the result is one
 * that may have made one of them hold, so that the outcome does not depend on which results are evaluated and which are
 * passed over.
 */
import { type ConditionMatch, shownResults } from "../conditions/condition.ts";
import { ruleOf } from "../conditions/registry.ts";
import { isUnreached } from "../holds/reach.ts";
import type { ConditionInput } from "../inputs/condition-input.ts";
import { isSuccess, type NewResult, publicResultId } from "../inputs/judged-result.ts";
import type { ResultReplay } from "./result-replay.ts";
import { isWorse, worstOf } from "./severity.ts";
import type { AlertContext, Confirmation, EvaluatedRule, OpenInstance, Transition } from "./transitions.ts";

/** A check with its rules, open instances and pending confirmations. */
export interface EvaluationInput {
  /**
   * False for a check that is switched off, or that no location in service runs: it fires nothing, and a run that somebody
   * triggers may still end an instance.
   */
  enabled: boolean;
  rules: readonly EvaluatedRule[];
  open: readonly Pick<OpenInstance, "ruleKey" | "severity">[];
  confirmations: readonly Confirmation[];
  /** The results that are known before the new ones, to which these are added. */
  replay: ResultReplay;
  /** Unix ms: confirmations that have expired by then no longer count. */
  nowMs: number;
  /** Results to judge; empty for an evaluation between results. */
  newResults: readonly NewResult[];
}

/** Mutable state of one rule while new results are replayed: open severity, pending confirmation. */
interface RuleState {
  severity: OpenInstance["severity"] | undefined;
  confirmation:
    | Pick<Confirmation, "slotMs" | "locationKey" | "firstSlotMs" | "firstLocationKey" | "firstRunnerKey">
    | undefined;
}

/** A rule at one step of the replay. */
interface Step {
  rule: EvaluatedRule;
  state: RuleState;
  input: ConditionInput;
}

/** A step at which all conditions of the rule hold. */
interface HoldingStep extends Step {
  /** One entry per condition of the rule. */
  matches: readonly ConditionMatch[];
}

/** Returns the transitions in the order in which they happen. */
export function evaluateCheck(evaluation: EvaluationInput): Transition[] {
  const { rules, replay, newResults, enabled } = evaluation;
  const states = new Map(rules.map((rule) => [rule, initialState(rule, evaluation)]));
  const transitions: Transition[] = [];
  const judgeAll = (input: ConditionInput) => {
    for (const [rule, state] of states) transitions.push(...judgeRule({ rule, state, input }, enabled));
  };
  if (newResults.length === 0) judgeAll(replay.now());
  for (const newResult of [...newResults].sort(
    (a, b) => a.slotMs - b.slotMs || a.locationKey - b.locationKey,
  )) {
    const input = replay.add(newResult);
    if (input) judgeAll(input);
  }
  return transitions;
}

function initialState(rule: EvaluatedRule, { open, confirmations, nowMs }: EvaluationInput): RuleState {
  return {
    severity: open.find(({ ruleKey }) => ruleKey === rule.key)?.severity,
    confirmation: confirmations.find(
      ({ ruleKey, expiresAtMs }) => ruleKey === rule.key && expiresAtMs > nowMs,
    ),
  };
}

function judgeRule(step: Step, isCheckEnabled: boolean): Transition[] {
  const { rule, state, input } = step;
  const matches = matchesOf(rule, input);
  if (!matches) return state.severity === undefined ? endConfirmation(step) : recover(step);
  const holding = { rule, state, input, matches };
  if (state.severity !== undefined) return escalate(holding, state.severity);
  if (!isCheckEnabled) return [];
  const needsConfirmation =
    rule.confirm && rule.conditions.some((condition) => ruleOf(condition).isAboutFailure);
  if (needsConfirmation && input.newResult) return confirm(holding, input.newResult);
  return canFire(step) ? [trigger(holding, undefined)] : [];
}

/** Returns one match per condition; undefined unless all conditions hold. */
function matchesOf(rule: EvaluatedRule, input: ConditionInput): ConditionMatch[] | undefined {
  const matches: ConditionMatch[] = [];
  for (const condition of rule.conditions) {
    const match = ruleOf(condition).match(condition, input);
    if (!match) return undefined;
    matches.push(match);
  }
  return matches;
}

function escalate(step: HoldingStep, before: OpenInstance["severity"]): Transition[] {
  const { rule, state, matches } = step;
  if (!matches.some((match) => isWorse(match.severity, before))) return [];
  const severity = worstOf(matches.map((match) => match.severity));
  state.severity = severity;
  return [{ kind: "escalated", rule, severity, context: contextOf(step) }];
}

function recover({ rule, state, input }: Step): Transition[] {
  const { newResult } = input;
  if (!newResult || !showsRecovery(rule, input, newResult)) return [];
  state.severity = undefined;
  return [{ kind: "recovered", rule, newResult }];
}

/** A failure fires once a run at another location, a run by another runner, or the run dispatched for it fails, too. */
function confirm(step: HoldingStep, newResult: NewResult): Transition[] {
  const { rule, state } = step;
  const { confirmation } = state;
  const isFailure = !isSuccess(newResult);
  if (!confirmation) {
    if (!isFailure) return [];
    state.confirmation = {
      // The confirming run is dispatched when the transitions are written: no result of this batch is that run.
      slotMs: -1,
      locationKey: -1,
      firstSlotMs: newResult.slotMs,
      firstLocationKey: newResult.locationKey,
      firstRunnerKey: newResult.runnerKey,
    };
    return [{ kind: "confirmation_wanted", rule, newResult }];
  }
  const isDispatched =
    newResult.slotMs === confirmation.slotMs && newResult.locationKey === confirmation.locationKey;
  const isFromElsewhere =
    newResult.locationKey !== confirmation.firstLocationKey ||
    newResult.runnerKey !== confirmation.firstRunnerKey;
  if (isFailure && (isDispatched || isFromElsewhere))
    return [...endConfirmation(step), trigger(step, newResult)];
  return isDispatched ? endConfirmation(step) : [];
}

function endConfirmation({ rule, state }: Step): Transition[] {
  if (!state.confirmation) return [];
  state.confirmation = undefined;
  return [{ kind: "confirmation_over", rule }];
}

function trigger(step: HoldingStep, confirmedBy: NewResult | undefined): Transition {
  const { rule, state, input, matches } = step;
  const severity = worstOf(matches.map((match) => match.severity));
  state.severity = severity;
  const { newResult } = input;
  const context = contextOf(step);
  const unreachedFrom = unreachedFromOf(step);
  return { kind: "triggered", rule, severity, context, newResult, confirmedBy, unreachedFrom };
}

function unreachedFromOf({ rule, input: { newResult, locations }, matches }: HoldingStep): number[] {
  if (!newResult || !isUnreached(newResult.status, newResult.errorCategory)) return [];
  if (!rule.conditions.every((condition) => ruleOf(condition).isAboutFailure)) return [];
  const failing = locations.filter(({ failedInARow }) => failedInARow > 0);
  const showing = [...matches.flatMap((match) => shownResults(match)), ...failing];
  return [...new Set(showing.map(({ locationKey }) => locationKey))];
}

/** True when the result, or the passing of time, may have made one of the conditions hold. */
function canFire({ rule, input: { newResult } }: Step): boolean {
  return rule.conditions.some((condition) => {
    const conditionRule = ruleOf(condition);
    return newResult
      ? conditionRule.canBegin(condition, newResult)
      : conditionRule.timeDriven === "between_results";
  });
}

/** True when the result shows that it is over; the conditions together no longer hold. */
function showsRecovery(rule: EvaluatedRule, { locations }: ConditionInput, newResult: NewResult): boolean {
  const conditionRules = rule.conditions.map(ruleOf);
  if (conditionRules.some(({ recoversOn }) => recoversOn === "success") && !isSuccess(newResult))
    return false;
  if (!conditionRules.some(({ isAboutFailure }) => isAboutFailure)) return true;
  return locations.every(
    ({ results, succeededInARow }) => succeededInARow >= Math.min(rule.recoverySuccesses, results.length),
  );
}

/** Results that are named per condition: enough to see why it holds, not a thousand. */
const RESULT_IDS_MAX = 20;

function contextOf({ rule, input, matches }: HoldingStep): AlertContext {
  const { checkKey, locations, newResult } = input;
  const shown = matches.map(shownResults);
  const concerned = new Set(shown.flatMap((results) => results.map(({ locationKey }) => locationKey)));
  const failure = newResult && !isSuccess(newResult) ? newResult : undefined;
  return {
    summary: matches.map(({ summary }) => summary).join("; "),
    conditions: matches.map(({ threshold, observed }, index) => ({
      type: (rule.conditions[index] as (typeof rule.conditions)[number]).type,
      threshold,
      observed,
      resultIds: (shown[index] ?? [])
        .slice(0, RESULT_IDS_MAX)
        .map((result) => publicResultId(checkKey, result)),
    })),
    locations: locations.filter(({ locationKey }) => concerned.has(locationKey)).map(({ name }) => name),
    ...(newResult?.errorMessage && { errorMessage: newResult.errorMessage }),
    ...(failure?.httpStatusCode && { httpStatusCode: failure.httpStatusCode }),
  };
}
