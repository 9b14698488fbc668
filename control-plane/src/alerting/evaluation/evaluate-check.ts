/**
 * The decision: what the new results of a check mean for its rules. Pure. Results are gone through oldest first; one that
 * is not the newest of its location decides nothing. A rule fires when all its conditions hold and the result is one that
 * may have made one of them hold, so that it makes no difference which results are looked at in detail and which are not.
 */

import type { Evidence } from "../conditions/condition.ts";
import type { Facts, FreshResult } from "../conditions/condition-input.ts";
import { isSuccess, resultIdOfFact } from "../conditions/condition-input.ts";
import { ruleOf } from "../conditions/registry.ts";
import { CheckFacts, type StoredFacts } from "./result-replay.ts";
import {
  type AlertContext,
  type Confirmation,
  type EvaluatedRule,
  isWorse,
  type OpenInstance,
  type Transition,
  worstOf,
} from "./transitions.ts";

/** A check with its rules and what is under way for them. */
export interface CheckToEvaluate {
  /** A check that is switched off fires nothing; what it measures by hand may still end an instance. */
  enabled: boolean;
  rules: readonly EvaluatedRule[];
  open: readonly OpenInstance[];
  confirmations: readonly Confirmation[];
  stored: StoredFacts;
  /** New results; none: time has passed. */
  fresh: readonly FreshResult[];
}

/** What of a rule is under way, as it changes from result to result. */
interface RuleState {
  severity: OpenInstance["severity"] | undefined;
  confirmation:
    | Pick<Confirmation, "slotMs" | "locationKey" | "firstSlotMs" | "firstLocationKey" | "firstRunnerKey">
    | undefined;
}

/** What follows, in order. */
export function evaluateCheck(check: CheckToEvaluate): Transition[] {
  const facts = new CheckFacts(check.stored, check.fresh);
  const states = new Map(check.rules.map((rule) => [rule, initialState(rule, check)]));
  const transitions: Transition[] = [];
  const judgeAll = (at: Facts) => {
    for (const [rule, state] of states) transitions.push(...judgeRule(rule, state, at, check.enabled));
  };
  if (check.fresh.length === 0) judgeAll(facts.now());
  for (const fresh of [...check.fresh].sort((a, b) => a.slotMs - b.slotMs || a.locationKey - b.locationKey)) {
    const at = facts.apply(fresh);
    if (at) judgeAll(at);
  }
  return transitions;
}

function initialState(rule: EvaluatedRule, { open, confirmations, stored }: CheckToEvaluate): RuleState {
  return {
    severity: open.find(({ ruleKey }) => ruleKey === rule.key)?.severity,
    confirmation: confirmations.find(
      ({ ruleKey, expiresAtMs }) => ruleKey === rule.key && expiresAtMs > stored.nowMs,
    ),
  };
}

function judgeRule(rule: EvaluatedRule, state: RuleState, facts: Facts, isEnabled: boolean): Transition[] {
  const evidence = evidenceOf(rule, facts);
  if (state.severity !== undefined) return judgeOpen(rule, state, facts, evidence);
  if (!evidence) return endConfirmation(rule, state);
  if (!isEnabled) return [];
  const needsConfirmation =
    rule.confirm && rule.conditions.some((condition) => ruleOf(condition).isAboutFailure);
  if (needsConfirmation && facts.fresh) return judgeUnconfirmed(rule, state, facts, facts.fresh, evidence);
  if (!mayFire(rule, facts)) return [];
  return [trigger(rule, state, facts, evidence, undefined)];
}

function judgeOpen(
  rule: EvaluatedRule,
  state: RuleState,
  facts: Facts,
  evidence: Evidence[] | undefined,
): Transition[] {
  if (evidence) {
    const severity = worstOf(evidence.map((entry) => entry.severity));
    if (!state.severity || !isWorse(severity, state.severity)) return [];
    state.severity = severity;
    const context = contextOf(rule, facts, evidence);
    return [{ kind: "escalated", rule, severity, context, fresh: facts.fresh }];
  }
  if (!facts.fresh || !isOver(rule, facts, facts.fresh)) return [];
  state.severity = undefined;
  return [{ kind: "recovered", rule, fresh: facts.fresh }];
}

/** A failure pages once a run at another location, by another runner, or the one ordered for it fails, too. */
function judgeUnconfirmed(
  rule: EvaluatedRule,
  state: RuleState,
  facts: Facts,
  fresh: FreshResult,
  evidence: Evidence[],
): Transition[] {
  const { confirmation } = state;
  const isFailure = !isSuccess(fresh);
  if (!confirmation) {
    if (!isFailure) return [];
    state.confirmation = {
      ...{ slotMs: -1, locationKey: -1 },
      ...{ firstSlotMs: fresh.slotMs, firstLocationKey: fresh.locationKey, firstRunnerKey: fresh.runnerKey },
    };
    return [{ kind: "confirmation_wanted", rule, fresh }];
  }
  const isOrdered = fresh.slotMs === confirmation.slotMs && fresh.locationKey === confirmation.locationKey;
  const isByAnother =
    fresh.locationKey !== confirmation.firstLocationKey || fresh.runnerKey !== confirmation.firstRunnerKey;
  if (isFailure && (isOrdered || isByAnother))
    return [...endConfirmation(rule, state), trigger(rule, state, facts, evidence, fresh)];
  return isOrdered ? endConfirmation(rule, state) : [];
}

function endConfirmation(rule: EvaluatedRule, state: RuleState): Transition[] {
  if (!state.confirmation) return [];
  state.confirmation = undefined;
  return [{ kind: "confirmation_over", rule }];
}

function trigger(
  rule: EvaluatedRule,
  state: RuleState,
  facts: Facts,
  evidence: Evidence[],
  confirmedBy: FreshResult | undefined,
): Transition {
  const severity = worstOf(evidence.map((entry) => entry.severity));
  state.severity = severity;
  const context = contextOf(rule, facts, evidence);
  return { kind: "triggered", rule, severity, context, fresh: facts.fresh, confirmedBy };
}

/** One entry per condition; undefined unless all hold. */
function evidenceOf(rule: EvaluatedRule, facts: Facts): Evidence[] | undefined {
  const evidence: Evidence[] = [];
  for (const condition of rule.conditions) {
    const entry = ruleOf(condition).holds(condition, facts);
    if (!entry) return undefined;
    evidence.push(entry);
  }
  return evidence;
}

function mayFire(rule: EvaluatedRule, { fresh }: Facts): boolean {
  return rule.conditions.some((condition) => {
    const known = ruleOf(condition);
    return fresh ? known.mayBegin(condition, fresh) : known.beginsWithTime === "looked_at";
  });
}

/** The conditions no longer hold; whether this result is also one that shows it. */
function isOver(rule: EvaluatedRule, { locations }: Facts, fresh: FreshResult): boolean {
  const known = rule.conditions.map(ruleOf);
  if (known.some(({ recoversOn }) => recoversOn === "success") && !isSuccess(fresh)) return false;
  if (!known.some(({ isAboutFailure }) => isAboutFailure)) return true;
  return locations.every(({ results }) => results.slice(0, rule.recoverySuccesses).every(isSuccess));
}

function contextOf(
  rule: EvaluatedRule,
  { checkKey, locations, fresh }: Facts,
  evidence: Evidence[],
): AlertContext {
  const concerned = new Set(evidence.flatMap(({ results }) => results.map(({ locationKey }) => locationKey)));
  return {
    summary: evidence.map(({ summary }) => summary).join("; "),
    conditions: evidence.map(({ threshold, observed, results }, index) => ({
      type: (rule.conditions[index] as (typeof rule.conditions)[number]).type,
      threshold,
      observed,
      resultIds: results.slice(0, RESULT_IDS_MAX).map((result) => resultIdOfFact(checkKey, result)),
    })),
    locations: locations.filter(({ locationKey }) => concerned.has(locationKey)).map(({ name }) => name),
    ...(fresh?.errorMessage ? { errorMessage: fresh.errorMessage } : {}),
    ...(fresh && !isSuccess(fresh) && fresh.httpStatusCode ? { httpStatusCode: fresh.httpStatusCode } : {}),
  };
}

/** Results named per condition: enough to see it by, not a thousand. */
const RESULT_IDS_MAX = 20;
