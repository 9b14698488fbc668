/**
 * What one rule would have done with the results of a check, which are given in parts, oldest first. Pure: each part is
 * judged by the decision that judges new results, with what it left open before.
 */
import type { Condition } from "@svc/contract";
import { ruleOf } from "../conditions/registry.ts";
import { CONFIRMATION_MS } from "../evaluation/confirmation-runs.ts";
import { evaluateCheck } from "../evaluation/evaluate-check.ts";
import { heldNeedsOf } from "../evaluation/load-input.ts";
import { ResultReplay } from "../evaluation/result-replay.ts";
import type { AlertContext, Confirmation, EvaluatedRule, Transition } from "../evaluation/transitions.ts";
import type { LoadedLocation } from "../inputs/condition-input.ts";
import type { NewResult } from "../inputs/judged-result.ts";
import { noLookups } from "../inputs/sources.ts";

/** One time that the rule would have fired. */
export interface Firing {
  /** Slot of the result at which it fires, Unix ms. */
  startedMs: number;
  /** Slot of the result that ends it, Unix ms; undefined: it lasts. */
  endedMs: number | undefined;
  severity: Extract<Transition, { kind: "triggered" }>["severity"];
  context: AlertContext;
}

/** The rule and the check that it is about. */
export interface RuleReplayParts {
  checkKey: number;
  /** Locations that the check has now. */
  locations: readonly Omit<LoadedLocation, "results">[];
  conditions: readonly Condition[];
  confirm: boolean;
  recoverySuccesses: number;
  /** Most firings that are kept, the newest. */
  firingsMax: number;
}

/** Only one rule is replayed, so any key serves. */
const RULE_KEY = 0;

/** Replays results against one rule. */
export class RuleReplay {
  readonly #parts: RuleReplayParts;
  readonly #rule: EvaluatedRule;
  /** Holds the newest results of each location, as many as the conditions may ask for. */
  readonly #replay: ResultReplay;
  #confirmation: Confirmation | undefined;
  #firing: Firing | undefined;
  /** Length of the firings that have ended, ms. */
  #endedForMs = 0;
  readonly firings: Firing[] = [];
  /** How often the rule fired, those that are not kept included. */
  count = 0;
  /** Results that were judged. */
  results = 0;
  /** Failures whose confirming run never took place. */
  unconfirmed = 0;

  constructor(parts: RuleReplayParts) {
    this.#parts = parts;
    this.#rule = {
      key: RULE_KEY,
      id: "" as EvaluatedRule["id"],
      checkKey: parts.checkKey,
      teamId: "" as EvaluatedRule["teamId"],
      name: null,
      channelIds: [],
      conditions: parts.conditions,
      confirm: parts.confirm,
      recoverySuccesses: parts.recoverySuccesses,
    };
    const locations = parts.locations.map((location) => ({ ...location, results: [] }));
    this.#replay = new ResultReplay(
      { checkKey: parts.checkKey, nowMs: 0, locations, lookups: noLookups() },
      [],
      heldNeedsOf([this.#rule]),
    );
  }

  /** Judges results of the check's locations that are newer than those before, oldest first. */
  add(results: readonly NewResult[]): void {
    this.results += results.length;
    // A confirmation ends after a time, so that each result is judged at its own instant.
    const isStepwise = this.#parts.confirm && this.#mayMatter(results);
    for (const part of isStepwise ? results.map((one) => [one]) : [results]) {
      if (this.#mayMatter(part)) this.#judge(part);
      else for (const result of part) this.#replay.add(result);
    }
  }

  /** Ends the replay. @returns for how long the rule was firing in all, ms */
  end(atMs: number): number {
    this.#expireConfirmation(atMs);
    return this.#endedForMs + (this.#firing ? atMs - this.#firing.startedMs : 0);
  }

  /** False for results that can neither make the rule fire nor end what is open: they need no judging. */
  #mayMatter(results: readonly NewResult[]): boolean {
    if (this.#firing || this.#confirmation) return true;
    return results.some((result) =>
      this.#parts.conditions.some((condition) => ruleOf(condition).canBegin(condition, result)),
    );
  }

  #judge(results: readonly NewResult[]): void {
    const [first] = results;
    if (!first) return;
    this.#expireConfirmation(first.slotMs);
    const transitions = evaluateCheck({
      enabled: true,
      rules: [this.#rule],
      open: this.#firing ? [{ ruleKey: RULE_KEY, severity: this.#firing.severity }] : [],
      confirmations: this.#confirmation ? [this.#confirmation] : [],
      replay: this.#replay,
      nowMs: first.slotMs,
      newResults: results,
    });
    for (const transition of transitions) this.#apply(transition);
  }

  #apply(transition: Transition): void {
    switch (transition.kind) {
      case "triggered":
        this.#begin(transition);
        break;
      case "escalated":
        if (this.#firing)
          Object.assign(this.#firing, { severity: transition.severity, context: transition.context });
        break;
      case "recovered":
        this.#endFiring(transition.newResult?.slotMs);
        break;
      case "confirmation_wanted":
        this.#confirmation = confirmationOf(this.#parts.checkKey, transition.newResult);
        break;
      case "confirmation_over":
        this.#confirmation = undefined;
        break;
    }
  }

  #begin({ severity, context, newResult }: Extract<Transition, { kind: "triggered" }>): void {
    if (!newResult) return;
    this.#firing = { startedMs: newResult.slotMs, endedMs: undefined, severity, context };
    this.count++;
    this.firings.push(this.#firing);
    if (this.firings.length > this.#parts.firingsMax) this.firings.shift();
  }

  #endFiring(atMs: number | undefined): void {
    if (!this.#firing || atMs === undefined) return;
    this.#firing.endedMs = atMs;
    this.#endedForMs += atMs - this.#firing.startedMs;
    this.#firing = undefined;
  }

  #expireConfirmation(atMs: number): void {
    if (!this.#confirmation || this.#confirmation.expiresAtMs > atMs) return;
    this.#confirmation = undefined;
    this.unconfirmed++;
  }
}

/** The confirmation that a failure waits for. No stored result is known to be the run that was dispatched for it. */
function confirmationOf(checkKey: number, { slotMs, locationKey, runnerKey }: NewResult): Confirmation {
  return {
    ruleKey: RULE_KEY,
    checkKey,
    slotMs: -1,
    locationKey: -1,
    firstSlotMs: slotMs,
    firstLocationKey: locationKey,
    firstRunnerKey: runnerKey,
    expiresAtMs: slotMs + CONFIRMATION_MS,
  };
}
